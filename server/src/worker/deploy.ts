import type { Clock } from "../base/clock.ts";
import { utcDay } from "../base/utc-day.ts";
import type {
  AttemptJournal,
  DeployedToken,
  LaunchAttempt,
  Launchpad,
} from "../launchpad/launchpad.ts";
import type { LaunchRow, LaunchStore } from "../store/launches.ts";
import type { Lease } from "./lease.ts";

/** Another worker has taken the launch: whatever this one found out is not to be recorded. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The agent has a token of this UTC day already: nothing more may be signed for it today. */
export class DayUsedError extends Error {
  override readonly name = "DayUsedError";
}

/** Puts a leased launch on chain, with its attempts kept in the store. Throws as the port does. */
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
      // Midnight may have passed since the launch was taken, and a clock that stepped back may have
      // had another launch of its agent signed in this day before.
      if (store.hasLaunchedOn(launch.wallet, day)) throw new DayUsedError();
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
