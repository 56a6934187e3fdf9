import type { Clock } from "../base/clock.ts";
import { utcDay } from "../base/utc-day.ts";
import type {
  AttemptJournal,
  DeployedToken,
  LaunchAttempt,
  Launchpad,
} from "../launchpad/launchpad.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import type { LaunchStore } from "../store/launches.ts";
import type { Lease } from "./lease.ts";
import { LeaseLostError } from "./lease-lost.ts";
import { AlreadyLaunchedTodayError } from "./limit.ts";

/**
 * Puts a leased launch on chain and stores each signed attempt before it is sent.
 *
 * @throws what the launchpad throws
 * @throws {AlreadyLaunchedTodayError} if the agent got a token of this UTC day meanwhile
 * @throws {LeaseLostError} if another worker has taken the launch
 */
export function deploy(
  lease: Lease,
  store: LaunchStore,
  launchpad: Launchpad,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeployedToken> {
  const { launch } = lease;
  const journal: AttemptJournal = {
    latest: latestAttempt(launch),
    record(attempt) {
      const day = utcDay(clock.now());
      // Checked again: midnight may have passed since the lease, and a clock that steps back may
      // return to a day in which the agent has launched.
      if (store.hasLaunchedOn(launch.wallet, day)) throw new AlreadyLaunchedTodayError();
      if (!store.recordAttempt(launch.eventId, lease.id, attempt, day)) throw new LeaseLostError();
    },
  };
  return launchpad.deploy(launch, journal, signal);
}

function latestAttempt(launch: LaunchRow): LaunchAttempt | null {
  const { signature, transaction, lastValidBlockHeight, tokenMint, poolAddress } = launch;
  if (
    signature === null ||
    transaction === null ||
    lastValidBlockHeight === null ||
    tokenMint === null ||
    poolAddress === null
  ) {
    return null;
  }
  return { signature, transaction, lastValidBlockHeight, tokenMint, poolAddress };
}
