import type { LaunchStatus, Network, TokenctlClient } from "@tokenctl/sdk";
import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { LaunchEndedError, StoppedWaitingError } from "../errors.ts";
import { afterLaunch } from "../next-steps.ts";
import type { Result } from "../result.ts";
import { waitingText } from "../waiting-text.ts";

/**
 * On a sandbox a token is on chain within a second: the first polls come sooner than the contract's
 * interval.
 */
const EAGER = { intervalMs: 500, timeoutMs: 2_000 };

/**
 * Waits until a launch has ended.
 *
 * @param intervalSeconds seconds between two polls; undefined means a short interval at first, then
 * the SDK's
 * @throws {StoppedWaitingError} if it cannot wait until the end of the launch
 */
export async function followLaunch(
  { notices, signal }: Context,
  client: TokenctlClient,
  eventId: string,
  intervalSeconds?: number,
  network?: Network,
): Promise<Result> {
  notices.notice(`Launch ${eventId} is accepted. Come back to it at any time with:`);
  notices.notice(`  tokenctl status ${eventId} --wait`);
  const begun = Date.now();
  notices.progress("Waiting for the token to be on chain", begun);
  try {
    const options = {
      signal,
      onStatus: (status: LaunchStatus) => {
        const waiting = waitingText(status);
        const text = `Waiting for ${status.ticker} to be on chain`;
        const since = Date.parse(status.waitingSince ?? "");
        notices.progress(
          waiting === null ? text : `${text}. It waits for ${waiting}`,
          Number.isNaN(since) ? begun : since,
        );
      },
    };
    if (intervalSeconds !== undefined) {
      const intervalMs = Math.ceil(intervalSeconds * 1000);
      return launchResult(await client.waitForLaunch(eventId, { ...options, intervalMs }), network);
    }
    const early = await client
      .waitForLaunch(eventId, { ...options, ...EAGER })
      .catch((error: unknown) => {
        if (error instanceof LaunchWaitTimeoutError) return null;
        throw error;
      });
    return launchResult(early ?? (await client.waitForLaunch(eventId, options)), network);
  } catch (error) {
    throw new StoppedWaitingError(eventId, error);
  }
}

/** @returns the launch's record, with a failure if the launch ended without a token */
export function launchResult(status: LaunchStatus, network?: Network): Result {
  const hasEndedBadly = status.status === "failed" || status.status === "rate_limited";
  return {
    kind: "launch",
    data: status,
    network,
    next: afterLaunch(network, status),
    ...(hasEndedBadly && { failure: new LaunchEndedError(status) }),
  };
}
