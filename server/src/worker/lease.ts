import type { LaunchRow } from "../store/launch-row.ts";
import type { LaunchStore, StartLimits } from "../store/launch-store.ts";
import { limitLaunches } from "./limit.ts";

/** How long a lease lasts, in milliseconds; the worker renews it while it works on the launch. */
export const LEASE_MS = 60_000;

/** A launch that this worker holds. */
export interface Lease {
  readonly id: string;
  readonly launch: LaunchRow;
}

/** Which launches may be started, and whose. */
export interface AdmittedLaunches {
  readonly starts?: StartLimits;
  readonly isBlocked?: (wallet: string) => Promise<boolean>;
}

/**
 * Leases the next launch that is due. If its agent is blocked, it ends `failed` instead, with all others
 * of that agent that wait. If its agent has launched in this UTC day already, it ends
 * `rate_limited` instead, with all others of that agent that wait. A launch with an undecided
 * transaction keeps the day in which that was signed, because it may have landed then.
 *
 * @returns null if nothing is due, "rate_limited" or "refused" if the launch that was due has ended
 */
export async function leaseNext(
  store: LaunchStore,
  leaseMs = LEASE_MS,
  { starts, isBlocked }: AdmittedLaunches = {},
): Promise<Lease | "rate_limited" | "refused" | null> {
  const id = crypto.randomUUID();
  const launch = await store.lease(id, leaseMs, starts);
  if (!launch) return null;
  const { eventId, wallet, signature, day, attempts } = launch;
  // An earlier run may have set lamports aside and signed nothing; then it may end without another.
  if (signature === null && attempts > 1) await store.settle(eventId, id, 0n);
  if (signature === null && (await isBlocked?.(wallet))) {
    await store.refuse(wallet, id, "The service's operator has blocked the wallet");
    return "refused";
  }
  if (signature !== null || day === null || !(await store.hasLaunchedOn(wallet, day))) {
    return { id, launch };
  }
  await limitLaunches(store, wallet, id);
  return "rate_limited";
}
