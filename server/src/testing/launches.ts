import type { Clock } from "../base/clock.ts";
import type { LaunchRow, NewLaunch } from "../store/launch-row.ts";
import type { Store } from "../store/store.ts";
import { newAttempt, newLaunch } from "../store/testing/rows.ts";
import type { TokenRow } from "../store/tokens.ts";

export const LEASE_MS = 60_000;

/** A store, and the time at which launches are created. */
export interface StoreInTime {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
}

/** Stores a launch, by default of the wallet `agent`. @returns its event id */
export async function insertLaunch(
  { store, clock }: StoreInTime,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<string> {
  const launch = newLaunch(ticker, { createdAt: clock.now(), ...other });
  const [outcome] = await store.launches.insert([launch]);
  if (outcome?.kind !== "stored") throw new Error(`${ticker}: ${outcome?.kind}`);
  return launch.eventId;
}

/** Leases the next launch that is due. */
export function lease({ store }: StoreInTime, leaseId: string): Promise<LaunchRow | null> {
  return store.launches.lease(leaseId, LEASE_MS);
}

/** Stores a launch and leases it, which must be the next that is due. */
export async function takeLaunch(
  at: StoreInTime,
  ticker: string,
  { leaseId, ...other }: Partial<NewLaunch> & { readonly leaseId: string },
): Promise<LaunchRow> {
  await insertLaunch(at, ticker, other);
  const launch = await lease(at, leaseId);
  if (launch?.ticker !== ticker) throw new Error(`${ticker} is not the next that is due`);
  return launch;
}

/** Stores a launch that has succeeded, with its token. */
export async function insertToken(
  at: StoreInTime,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<TokenRow> {
  const { store } = at;
  const leaseId = `lease-${ticker}`;
  const launch = await takeLaunch(at, ticker, { ...other, leaseId });
  const { tokenMint, poolAddress } = newAttempt(ticker);
  await store.launches.succeed(launch, leaseId, { tokenMint, poolAddress });
  const token = await store.tokens.findAny(tokenMint);
  if (!token) throw new Error(`${ticker} has no token`);
  return token;
}
