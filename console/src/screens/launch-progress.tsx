import type { LaunchStatus } from "@tokenctl/sdk";
import { useEffect, useState } from "preact/hooks";
import { useSession } from "../data/session.ts";
import { waitingText } from "../parts/launch-state.ts";
import { Loading, Problem } from "../parts/states.tsx";
import { hrefs } from "../router.ts";

/** Follows one launch to its end. */
export function LaunchProgress({ eventId }: { readonly eventId: string }) {
  const { client } = useSession();
  const [read, setRead] = useState<{ launch: LaunchStatus; round: number } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [actedIn, setActedIn] = useState(-1);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const abort = new AbortController();
    const onStatus = (launch: LaunchStatus) => setRead({ launch, round });
    setError(null);
    client
      .waitForLaunch(eventId, { signal: abort.signal, intervalMs: POLL_MS, onStatus })
      .then(onStatus)
      .catch((fault) => abort.signal.aborted || setError(fault));
    return () => abort.abort();
  }, [client, eventId, round]);

  const again = () => setRound((count) => count + 1);
  const act = async (work: () => Promise<unknown>) => {
    setActedIn(round);
    setRefusal(null);
    await work().catch(setRefusal);
    again();
  };
  if (read === null) {
    return error === null ? (
      <Loading what="the launch" />
    ) : (
      <Problem error={error} onRetry={again} />
    );
  }
  const { launch } = read;
  const { status, ticker, tokenMint } = launch;
  // Until its state is read again, so that a double click does nothing twice.
  const isDisabled = read.round <= actedIn;
  return (
    <section>
      <h1>{ticker}</h1>
      {error !== null && <Problem error={error} onRetry={again} />}
      {error === null && refusal !== null && <Problem error={refusal} />}
      <div role="status">
        {status === "pending" && <p class="loading">It {waitingText(launch)} …</p>}
        {status === "success" && <p class="good">It is on chain and can be traded.</p>}
        {(status === "failed" || status === "rate_limited") && (
          <p class="bad">It was not launched: {launch.error}</p>
        )}
      </div>
      <div class="row">
        {status === "pending" && (
          <button
            type="button"
            disabled={isDisabled}
            onClick={() => void act(() => client.cancelLaunch(eventId))}
          >
            Cancel the launch
          </button>
        )}
        {(status === "failed" || status === "rate_limited") && (
          <button
            type="button"
            disabled={isDisabled}
            onClick={() => void act(() => client.retryLaunch(eventId))}
          >
            Try again
          </button>
        )}
        {tokenMint !== null && (
          <a class="button primary" href={hrefs.token(tokenMint)}>
            See the token
          </a>
        )}
        <a class="button" href={hrefs.tokens}>
          All tokens
        </a>
      </div>
    </section>
  );
}

/** Milliseconds between polls, if the stream of events is not there. */
const POLL_MS = 2_000;
