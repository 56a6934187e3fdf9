import { ApiError, hasCode, type LaunchCheck } from "@tokenctl/sdk";
import { tokensFor } from "@tokenctl/shared/curve";
import { shortNumber } from "@tokenctl/shared/page-facts";
import { shorteningOf } from "@tokenctl/shared/token-name";
import { useEffect, useMemo, useState } from "preact/hooks";
import { EMPTY_FORM, type LaunchForm, toRequest } from "../data/launch-request.ts";
import { useLoad, useQuiet } from "../data/load.ts";
import { launchPayers } from "../data/network.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { useShared } from "../data/shared.ts";
import { keepLaunch, type SentLaunch, signingOf } from "../data/signing.ts";
import { Field, FieldForm, useWork } from "../parts/field.tsx";
import { SolNumber } from "../parts/format.tsx";
import { ImageChoice } from "../parts/image-choice.tsx";
import { blockersOf, Preflight } from "../parts/preflight.tsx";
import { capital, inWords, Problem, sentence } from "../parts/states.tsx";
import { TokenCard } from "../parts/token.tsx";
import { Button, Card, Stat } from "../parts/ui.tsx";
import { goTo } from "../router.ts";

/** Milliseconds without a change before the form is checked. */
const QUIET_MS = 400;

export function Launch() {
  const session = useSession();
  const { client, isSandbox } = session;
  const funding = useWork();
  const news = useNews();
  const [form, setForm] = useState<LaunchForm>(EMPTY_FORM);
  const [image, setImage] = useState<Promise<Blob | null> | null>(null);
  const picture = useLoad(async () => image, [image]);
  const [isSending, setIsSending] = useState(false);
  const [mayShorten, setMayShorten] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const payers = useShared(launchPayers);
  const request = toRequest(form, payers);
  const shortening = shorteningOf(request);
  const settled = useQuiet(JSON.stringify(request), QUIET_MS);
  const check = useLoad(
    (signal) => client.checkLaunch(JSON.parse(settled), { signal }),
    [client, settled, news],
  );
  const problems = problemsOf(check.data, error);
  const fund = async () => {
    if (check.data?.payment) await client.dev.airdrop({ sol: fundSOL(check.data.payment) });
    await check.reload();
  };
  const blockers = blockersOf(check.data);
  const change = (name: keyof LaunchForm, value: string) => {
    setForm((before) => ({ ...before, [name]: value }));
    setError(null);
  };
  const field = (name: keyof LaunchForm, label: string) => ({
    label,
    name,
    value: form[name],
    problem: form[name] === "" ? undefined : problems.get(name),
    onInput: (value: string) => change(name, value),
  });

  async function launch(event: Event) {
    event.preventDefault();
    setError(null);
    setIsSending(true);
    let sent: SentLaunch | null = null;
    try {
      const chosen = await image;
      const stored = chosen && { imageUrl: (await client.uploadImage(chosen)).url };
      const least = request.firstBuySOL && (await client.quoteFirstBuy(request)).minTokens;
      const wanted = { ...request, ...stored, ...(least && { firstBuyMinTokens: least }) };
      // The check that the form shows may precede the last change.
      sent = { request: wanted, payment: (await client.checkLaunch(wanted)).payment };
      const { eventId } = await client.launch(sent.request, {
        allowShortenedName: mayShorten,
        ...signingOf(session, sent),
      });
      goTo(hrefs.status(eventId));
    } catch (fault) {
      const { eventId: left } = Object(fault) as { eventId?: string };
      if (sent && left !== undefined && !hasCode(fault, "ticker_taken")) {
        // The launch may still wait for its signature; its own page signs or cancels it.
        keepLaunch(sent);
        goTo(hrefs.status(left));
        return;
      }
      setError(fault);
      setIsSending(false);
    }
  }

  const needsInvite = check.data?.refusals.some(({ code }) => code === "invite_required");
  const ownLaunch = check.data?.refusals.find(({ eventId }) => eventId !== undefined)?.eventId;
  const ticker = field("ticker", "Ticker");
  return (
    <>
      <h1>Launch a token</h1>
      {needsInvite && <Invite onRedeemed={check.reload} />}
      <div class="columns">
        <form class="card" onSubmit={(event) => void launch(event)}>
          <ImageChoice
            onImage={setImage}
            problem={picture.error ? inWords(picture.error).text : problems.get("image")}
          />
          <Field {...field("name", "Name")} isRequired />
          {shortening !== null && (
            <label class="line check">
              <input
                type="checkbox"
                required
                checked={mayShorten}
                onChange={(event) => setMayShorten(event.currentTarget.checked)}
              />
              <span>{sentence(shortening)} Shorten it</span>
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
          <Field {...field("description", "Description")} isLong />
          <Field {...field("website", "Website")} placeholder="https://example.com" />
          <div class="pair">
            <Field {...field("twitter", "X")} placeholder="https://x.com/…" />
            <Field {...field("telegram", "Telegram")} placeholder="https://t.me/…" />
          </div>
          {payers?.includes("operator") && payers.includes("agent") && (
            <fieldset class="pair choices" aria-label="Who pays">
              {PAYERS.map(([payer, title, text]) => (
                <label key={title} class="choice">
                  <input
                    type="radio"
                    name="payer"
                    checked={form.payer === payer}
                    onChange={() => change("payer", payer)}
                  />
                  <strong>{title}</strong>
                  <span class="hint">{text}</span>
                </label>
              ))}
            </fieldset>
          )}
          {request.payer === "agent" && (
            <Field
              {...field("firstBuySOL", "First buy in SOL")}
              hint={firstBuyText(request.firstBuySOL, check.data)}
            />
          )}
          {error !== null && <Problem error={error} />}
          <Button
            type="submit"
            kind="primary"
            isBusy={isSending}
            disabled={blockers.length > 0}
            aria-describedby="launch-hint"
          >
            {isSending ? "Launching …" : "Launch"}
          </Button>
          {isSandbox && check.data?.payment?.canPay === false && (
            <Button isBusy={funding.isBusy} onClick={() => void funding.run(fund)}>
              Get {fundSOL(check.data.payment)} SOL of the sandbox
            </Button>
          )}
          <p class="hint" id="launch-hint">
            {blockers[0] ?? "Name, ticker, image and links are final once it is on chain."}
          </p>
        </form>
        <div>
          <Preview form={form} image={picture.error ? null : picture.data} check={check.data} />
          <Preflight check={check} isFilled={form.name !== "" && form.ticker !== ""} />
        </div>
      </div>
    </>
  );
}

function Invite({ onRedeemed }: { readonly onRedeemed: () => Promise<unknown> }) {
  const { client } = useSession();
  return (
    <Card title="Invite">
      <p class="soft">This service launches for invited wallets. Its operator gives out codes.</p>
      <FieldForm
        name="invite"
        label="Invite code"
        work={useWork()}
        yes="Redeem"
        onSubmit={(code) => client.redeemInvite(code).then(onRedeemed)}
      />
    </Card>
  );
}

const PAYERS = [
  ["", "The service pays", "Nothing to sign, and nothing to pay."],
  ["agent", "You pay, with a first buy", "Your wallet signs, and may buy before anyone else."],
] as const;

function firstBuyText(sol: number | undefined, check: LaunchCheck | null): string {
  const none =
    "Buys the token for you in the transaction that creates it. Empty: nothing is bought.";
  const { curve, fees } = check ?? {};
  if (!sol || !curve || !fees) return none;
  const bought = tokensFor(curve, sol * (1 - fees.bondingCurve.startBps / 10_000));
  const all = tokensFor(curve, curve.at(-1)?.raisedSOL ?? 0);
  if (bought === null || all === null) return "More than the curve sells.";
  return `≈ ${shortNumber(bought)} tokens: ${shortNumber((100 * bought) / all)} % of what the curve sells.`;
}

type Payment = NonNullable<LaunchCheck["payment"]>;

/** Returns the whole SOL that a wallet lacks, plus 1 SOL. */
const fundSOL = ({ requiredSOL, balanceSOL }: Payment) => Math.ceil(requiredSOL - balanceSOL) + 1;

/** Returns the problems of each field, from the check and from a refused launch. */
function problemsOf(check: LaunchCheck | null, error: unknown): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  const add = (field: string, message: string) => problems.set(field, capital(sentence(message)));
  const refused = error instanceof ApiError ? [{ ...error, error: error.text }] : [];
  for (const { code, error: text, details } of [...(check?.refusals ?? []), ...refused]) {
    for (const { field, message } of details ?? []) add(field, message);
    const field = FIELDS.get(code);
    if (field !== undefined) add(field, text);
  }
  return problems;
}

const FIELDS = new Map([
  ["ticker_taken", "ticker"],
  ["image_refused", "image"],
]);

function Preview(props: {
  readonly form: LaunchForm;
  readonly image: Blob | null;
  readonly check: LaunchCheck | null;
}) {
  const { form, image, check } = props;
  const url = useMemo(() => (image ? URL.createObjectURL(image) : null), [image]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  return (
    <TokenCard
      about={{
        ...toRequest(form),
        symbol: form.ticker || "TICKER",
        name: form.name || "Name",
        description: form.description,
        image: url,
      }}
      seed={form.ticker}
      heading={
        <>
          <span class="label">Preview</span>
          <h2 class="clip">{form.ticker || "TICKER"}</h2>
        </>
      }
      facts={
        check?.curve?.[0] && (
          <Stat label="First price">
            <SolNumber value={check.curve[0].priceSOL} />
          </Stat>
        )
      }
    />
  );
}
