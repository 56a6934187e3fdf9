import type { LaunchStatus } from "@tokenctl/sdk";
import { CANCELLED } from "@tokenctl/shared/words";
import { useRef } from "preact/hooks";
import { useEvery, useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { confirmed, keptLaunch, signingOf } from "../data/signing.ts";
import { useWork } from "../parts/field.tsx";
import { Name, TimeLeft } from "../parts/format.tsx";
import { Problem, Ready, sentence, usePart } from "../parts/states.tsx";
import { Share, TokenImage } from "../parts/token.tsx";
import { Button, Icon } from "../parts/ui.tsx";
import { reasonOf, STEPS, stepOf, waitingWords } from "../parts/words.ts";
import { useTitle } from "../router.ts";

/** Milliseconds between two reads of a pending launch. The end itself arrives as an event. */
const POLL_MS = 1_000;

export function LaunchProgress({ eventId }: { eventId: string }) {
  const session = useSession();
  const { client } = session;
  const news = useNews();
  const { isBusy, error: refusal, run } = useWork();
  const status = useLoad(
    (signal) => client.launchStatus(eventId, { signal }),
    [client, eventId, news],
  );
  const { data: launch, isLoading, reload } = status;
  useTitle(launch ? `Launch of ${launch.ticker}` : undefined);
  const isPending = launch?.status === "pending";
  useEvery(POLL_MS, reload, isPending && !isLoading);

  // The buttons are disabled until the next read, so that a double click acts only once.
  const act = (work: () => Promise<unknown>) => void run(() => work().finally(reload));
  const cancel = async (ticker: string) => {
    const title = `Cancel the launch of ${ticker}?`;
    const text = "It is taken out of the queue, and its ticker is free for others at once.";
    if (await confirmed({ title, text, yes: "Cancel the launch" }))
      act(() => client.cancelLaunch(eventId));
  };
  const sent = launch && keptLaunch(launch.ticker);

  return (
    <Ready of={status} what="the launch" lines={5}>
      {(read) => {
        const { ticker, tokenMint, signBy } = read;
        const first = { kind: "primary", disabled: isBusy } as const;
        const isMine = read.waitingFor === "agent_signature";
        const isCancelled = read.error === CANCELLED;
        const hasEnded = read.status === "failed" || read.status === "rate_limited";
        const today = new Date().toISOString().slice(0, 10);
        const isTooEarly = read.status === "rate_limited" && read.processedAt?.startsWith(today);
        return (
          <section class={tokenMint === null ? "card" : "card launched"}>
            <LaunchHead launch={read} />
            {refusal !== null && <Problem error={refusal} />}
            <Steps launch={read} />
            <div role="status">
              {isPending && signBy === undefined && <p>{waitingWords(read)}</p>}
              {isPending && signBy !== undefined && (
                <p class="caution warn">
                  <span>
                    Your wallet's signature is needed, which pays for it
                    {!sent && ": sign it where you have sent it"}. It ends by itself in{" "}
                    <TimeLeft until={new Date(signBy)} />.
                  </span>
                </p>
              )}
              {tokenMint !== null && (
                <p>
                  <strong>It is on chain and can be traded.</strong> Each trade earns you fees,
                  which you claim under Tokens. You can launch another one tomorrow (UTC).
                </p>
              )}
              {hasEnded && isCancelled && (
                <p>It is cancelled: nothing was launched, and its ticker is free for others.</p>
              )}
              {hasEnded && !isCancelled && (
                <p class="problem">It was not launched: {sentence(reasonOf(read))}</p>
              )}
            </div>
            <div class="line">
              {sent && isMine && (
                <Button
                  {...first}
                  onClick={() =>
                    act(() => client.signLaunch(eventId, sent.request, signingOf(session, sent)))
                  }
                >
                  Sign …
                </Button>
              )}
              {isPending && (
                <Button disabled={isBusy} onClick={() => void cancel(ticker)}>
                  Cancel …
                </Button>
              )}
              {hasEnded && (
                <Button
                  kind={isCancelled ? "plain" : "primary"}
                  disabled={isBusy || isTooEarly}
                  onClick={() => act(() => client.retryLaunch(eventId))}
                >
                  Try again
                </Button>
              )}
              {tokenMint !== null && (
                <>
                  <a class="button primary" href={hrefs.token(tokenMint)}>
                    See the token
                  </a>
                  <Share path={hrefs.shared(tokenMint)} ticker={ticker} />
                </>
              )}
              <a class="button" href={hrefs.tokens}>
                All tokens
              </a>
            </div>
          </section>
        );
      }}
    </Ready>
  );
}

function LaunchHead({ launch: { tokenMint, ticker, eventId } }: { readonly launch: LaunchStatus }) {
  const { client } = useSession();
  const metadata = useLoad(
    async (signal) => (tokenMint === null ? null : client.metadata(tokenMint, { signal })),
    [tokenMint],
  );
  usePart(metadata);
  const [seed, size] = tokenMint === null ? [eventId, 72] : [tokenMint, 160];
  return (
    <>
      <TokenImage {...{ ticker, seed, size }} url={metadata.data?.image} />
      <h1>{ticker}</h1>
      <Name text={metadata.data?.name ?? "Your launch"} kind="clip soft" />
    </>
  );
}

function Steps({ launch }: { launch: LaunchStatus }) {
  const { status } = launch;
  const hasEnded = status === "failed" || status === "rate_limited";
  const last = useRef(0);
  const reached = hasEnded ? last.current : stepOf(launch);
  last.current = reached;
  return (
    <ol class="steps">
      {STEPS.map((name, step) => {
        const isEnd = hasEnded && step === Math.max(1, reached);
        const hasFailed = isEnd && launch.error !== CANCELLED;
        const isDone = !isEnd && (step === 0 || step < reached || status === "success");
        const isCurrent = step === reached && status === "pending";
        const isMine = isCurrent && launch.waitingFor === "agent_signature";
        return (
          <li
            key={name}
            class={
              hasFailed ? "failed" : isMine ? "mine" : isDone ? "done" : isCurrent ? "current" : ""
            }
            aria-current={isCurrent ? "step" : undefined}
          >
            <span class="mark">
              {isDone && !isMine && <Icon name="check" size={14} />}
              {isEnd && <Icon name="cross" size={14} />}
              {isMine && <Icon name="clock" size={14} />}
            </span>
            <span>{name}</span>
          </li>
        );
      })}
    </ol>
  );
}
