import type { LaunchRequest } from "@tokenctl/sdk";
import { limits } from "@tokenctl/shared/limits";
import { NAME_BYTES, shorteningOf } from "@tokenctl/shared/token-name";
import { useEffect, useState } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { useSession } from "../data/session.ts";
import { Field } from "../parts/field.tsx";
import { ImageChoice } from "../parts/image-choice.tsx";
import { Preflight } from "../parts/preflight.tsx";
import { Problem } from "../parts/states.tsx";
import { goTo, hrefs } from "../router.ts";

const EMPTY = {
  name: "",
  onChainName: "",
  ticker: "",
  description: "",
  website: "",
  twitter: "",
  telegram: "",
};
type Form = typeof EMPTY;

/** Milliseconds of quiet after which the form is checked. */
const QUIET_MS = 400;

/** Launches a token. While the form is filled in, it says how the launch would end. */
export function Launch() {
  const { client } = useSession();
  const [form, setForm] = useState<Form>(EMPTY);
  const [imageUrl, setImageUrl] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [mayShorten, setMayShorten] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // A repeat of the same form, after a lost answer, launches nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const request = toRequest(form, imageUrl);
  const shortening = shorteningOf(request);
  const settled = useQuiet(JSON.stringify(request));
  const check = useLoad(
    async (signal) => {
      const asked = JSON.parse(settled) as LaunchRequest;
      return asked.name === "" || asked.ticker === ""
        ? null
        : client.checkLaunch(asked, { signal });
    },
    [client, settled],
  );
  const problems = new Map(
    check.data?.refusals.flatMap(({ details }) =>
      (details ?? []).map(({ field, message }) => [field, message] as const),
    ),
  );

  const field = (name: keyof Form, label: string, max: number) => ({
    label,
    name,
    max,
    value: form[name],
    problem: form[name] === "" ? undefined : problems.get(name),
    onInput: (value: string) => {
      setForm((before) => ({ ...before, [name]: value }));
      setKey(crypto.randomUUID());
    },
  });

  async function launch(event: Event) {
    event.preventDefault();
    setIsSending(true);
    setError(null);
    try {
      const { eventId } = await client.launch(request, {
        idempotencyKey: key,
        allowShortenedName: mayShorten,
      });
      goTo(hrefs.status(eventId));
    } catch (fault) {
      setError(fault);
      setIsSending(false);
    }
  }

  const ownLaunch = check.data?.refusals.find(({ eventId }) => eventId !== undefined)?.eventId;
  const ticker = field("ticker", "Ticker", limits.ticker.max);
  return (
    <>
      <h1>Launch a token</h1>
      <div class="columns">
        <form onSubmit={(event) => void launch(event)}>
          <Field {...field("name", "Name", limits.name.max)} isRequired />
          {(shortening !== null || form.onChainName !== "") && (
            <Field
              {...field("onChainName", "On-chain name", NAME_BYTES)}
              isRequired={!mayShorten}
              hint={shortening === null ? undefined : `${shortening}.`}
            />
          )}
          {shortening !== null && (
            <label class="row">
              <input
                type="checkbox"
                checked={mayShorten}
                onChange={(event) => setMayShorten(event.currentTarget.checked)}
              />
              Shorten the name on chain
            </label>
          )}
          <Field
            {...ticker}
            onInput={(value) => ticker.onInput(value.toUpperCase())}
            isRequired
            hint="2 to 10 letters and digits. Each ticker exists only once."
          />
          {ownLaunch !== undefined && (
            <a class="button" href={hrefs.status(ownLaunch)}>
              See your launch of {form.ticker}
            </a>
          )}
          <Field {...field("description", "Description", limits.description.max)} isLong />
          <ImageChoice onUrl={setImageUrl} />
          <Field {...field("website", "Website", limits.link.max)} />
          <Field {...field("twitter", "Page on X", limits.link.max)} hint="https://x.com/…" />
          <Field {...field("telegram", "Telegram", limits.link.max)} hint="https://t.me/…" />
          {error !== null && <Problem error={error} />}
          <button type="submit" class="primary" disabled={isSending}>
            {isSending ? "Launching …" : "Launch"}
          </button>
          <p class="hint">
            The service pays for the launch. Name, ticker, image and links are final once it is on
            chain.
          </p>
        </form>
        <Preflight check={check} />
      </div>
    </>
  );
}

/** @returns the request without fields that are empty */
function toRequest({ name, ticker, ...optional }: Form, imageUrl: string | null): LaunchRequest {
  const filled = Object.entries({ ...optional, imageUrl: imageUrl ?? "" }).filter(
    ([, value]) => value.trim() !== "",
  );
  return { name, ticker, ...Object.fromEntries(filled) };
}

/** @returns a text once it has not changed for a while */
function useQuiet(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
