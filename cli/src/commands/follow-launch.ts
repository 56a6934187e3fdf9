import type { LaunchStatus, TokenctlClient } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { LaunchEndedError, StoppedWaitingError } from "../errors.ts";
import type { Result } from "../result.ts";

/**
 * Waits until a launch has ended.
 *
 * @param intervalSeconds seconds between two looks at it; undefined means the SDK's default
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
    const status = await client.waitForLaunch(eventId, {
      intervalMs: intervalSeconds === undefined ? undefined : Math.ceil(intervalSeconds * 1000),
      signal,
      onStatus: ({ ticker }) => notices.progress(`Waiting for ${ticker} to be on chain`),
    });
    return launchResult(status);
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
