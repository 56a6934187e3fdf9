import type { LaunchStatus, TokenctlClient } from "@tokenctl/sdk";
import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { LaunchEndedError, StoppedWaitingError } from "../errors.ts";
import type { Result } from "../result.ts";

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
): Promise<Result> {
  notices.notice(`Launch ${eventId} is accepted. Come back to it at any time with:`);
  notices.notice(`  tokenctl status ${eventId} --wait`);
  notices.progress("Waiting for the token to be on chain");
  try {
    const options = {
      signal,
      onStatus: ({ ticker }: LaunchStatus) =>
        notices.progress(`Waiting for ${ticker} to be on chain`),
    };
    if (intervalSeconds !== undefined) {
      const intervalMs = Math.ceil(intervalSeconds * 1000);
      return launchResult(await client.waitForLaunch(eventId, { ...options, intervalMs }));
    }
    const early = await client
      .waitForLaunch(eventId, { ...options, ...EAGER })
      .catch((error: unknown) => {
        if (error instanceof LaunchWaitTimeoutError) return null;
        throw error;
      });
    return launchResult(early ?? (await client.waitForLaunch(eventId, options)));
  } catch (error) {
    throw new StoppedWaitingError(eventId, error);
  }
}

/** @returns the launch's record, with a failure if the launch ended without a token */
export function launchResult(status: LaunchStatus): Result {
  const hasEndedBadly = status.status === "failed" || status.status === "rate_limited";
  return {
    kind: "launch",
    data: status,
    ...(hasEndedBadly && { failure: new LaunchEndedError(status) }),
  };
}
