import type { Clock } from "../clock.ts";
import type { LaunchRow, LaunchStore } from "../store/launches.ts";
import { utcDay } from "../utc-day.ts";

/** For how long a launch is taken; renewed while it is worked on. */
export const LEASE_MS = 60_000;

const RATE_LIMITED = "This agent has already launched a token today (UTC); retry it tomorrow";

/** A launch that this worker holds. */
export interface Lease {
  readonly id: string;
  readonly launch: LaunchRow;
}

/**
 * Takes the next launch that is due. The day's limit is decided here: a launch of an agent that
 * has launched in this UTC day ends `rate_limited`. One whose transaction is undecided keeps the
 * day in which it was signed, for it may have landed then.
 *
 * @returns null when nothing is due
 */
export function takeNext(store: LaunchStore, clock: Clock): Lease | null {
  for (;;) {
    const id = crypto.randomUUID();
    const now = clock.now();
    const launch = store.lease(id, now, LEASE_MS);
    if (!launch) return null;
    if (launch.signature !== null) return { id, launch };
    const day = utcDay(now);
    if (!store.hasLaunchedOn(launch.wallet, day)) {
      if (launch.day !== day) store.setDay(launch.eventId, id, day);
      return { id, launch: { ...launch, day } };
    }
    store.end(launch.eventId, id, "rate_limited", RATE_LIMITED, now);
  }
}
