import type { Clock } from "../base/clock.ts";
import { utcDay } from "../base/utc-day.ts";
import type { LaunchRow, LaunchStore } from "../store/launches.ts";

/** For how long a launch is taken; renewed while it is worked on. */
export const LEASE_MS = 60_000;

/** What a launch is told that ends because its agent's day is used up. */
export const RATE_LIMITED =
  "This agent has already launched a token today (UTC); retry it tomorrow";

/** A launch that this worker holds. */
export interface Lease {
  readonly id: string;
  readonly launch: LaunchRow;
}

/**
 * Takes the next launch that is due. The day's limit is decided here: what an agent that has
 * launched in this UTC day still has in the queue ends `rate_limited`. A launch whose transaction
 * is undecided keeps the day in which that was signed, for it may have landed then.
 *
 * @returns null when nothing is due, "limited" when what was due has ended
 */
export function takeNext(store: LaunchStore, clock: Clock): Lease | "limited" | null {
  const id = crypto.randomUUID();
  const now = clock.now();
  const day = utcDay(now);
  const launch = store.lease(id, now, LEASE_MS, day);
  if (!launch) return null;
  if (launch.signature !== null || !store.hasLaunchedOn(launch.wallet, day)) return { id, launch };
  store.limit(launch.wallet, id, RATE_LIMITED, now);
  return "limited";
}
