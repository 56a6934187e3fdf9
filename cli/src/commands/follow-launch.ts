import type { LaunchStatus, TokenctlClient } from "@tokenctl/sdk";
import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { LaunchEndedError, StoppedWaitingError } from "../errors.ts";
import type { Result } from "../result.ts";

/**
 * A sandbox has a token on chain within a second, and someone sits waiting: at first it is looked
 * for this often, a few times, and then as patiently as the contract asks.
 */
const EAGER = { intervalMs: 500, timeoutMs: 2_000 };

/**
 * Waits until a launch has ended.
 *
 * @param intervalSeconds seconds between two looks at it; undefined means eagerly at first, then
 * as often as the SDK does
 * @throws {StoppedWaitingError} where it cannot be known how the launch ends
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

/** A launch's record, and the failure that it is where the launch ended without a token. */
export function launchResult(status: LaunchStatus): Result {
  const hasEndedBadly = status.status === "failed" || status.status === "rate_limited";
  return {
    kind: "launch",
    data: status,
    ...(hasEndedBadly && { failure: new LaunchEndedError(status) }),
  };
}
