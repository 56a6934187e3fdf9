import type { NewAttempt } from "../launchpad/attempt-journal.ts";
import type { NewLaunch } from "../store/launch-intake.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import type { TokenRow } from "../store/token-store.ts";
import type { TempStore } from "./temp-store.ts";

const LEASE_MS = 60_000;

/** A launch to store, by default of the wallet `agent`. */
export function newLaunch(ticker: string, other: Partial<NewLaunch> = {}): NewLaunch {
  return {
    eventId: crypto.randomUUID(),
    wallet: "agent",
    name: `${ticker} token`,
    ticker,
    description: null,
    imageUrl: null,
    website: null,
    twitter: null,
    telegram: null,
    imageHash: null,
    createdAt: 0,
    idempotency: null,
    address: null,
    ...other,
  };
}

/** Stores a launch. @returns its event id */
export async function insertLaunch(
  { store, clock }: TempStore,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<string> {
  const launch = newLaunch(ticker, { createdAt: clock.now(), ...other });
  await store.launches.insert([launch]);
  return launch.eventId;
}

/** Leases the next launch that is due. */
export function lease({ store }: TempStore, leaseId: string): Promise<LaunchRow | null> {
  return store.launches.lease(leaseId, LEASE_MS);
}

/** An attempt of the launch of a ticker: its signed transaction. */
export function newAttempt(ticker: string): NewAttempt {
  return {
    tokenMint: `mint-${ticker}`,
    poolAddress: `pool-${ticker}`,
    signature: `signature-${ticker}`,
    transaction: Uint8Array.of(1, 2, 3),
    lastValidBlockHeight: 150,
    terms: {
      config: `config-${ticker}`,
      fees: {
        bondingCurve: { startBps: 200, endBps: 100, creatorSharePercent: 80 },
        liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 70 },
      },
    },
  };
}

/** Stores a launch that has succeeded, with its token. */
export async function insertToken(
  temp: TempStore,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<TokenRow> {
  const { store } = temp;
  await insertLaunch(temp, ticker, other);
  const leaseId = `lease-${ticker}`;
  const launch = await lease(temp, leaseId);
  if (launch?.ticker !== ticker) throw new Error(`${ticker} is not the next launch that is due`);
  const { tokenMint, poolAddress } = newAttempt(ticker);
  await store.launches.succeed(launch, leaseId, { tokenMint, poolAddress });
  const token = await store.tokens.findAny(tokenMint);
  if (!token) throw new Error(`${ticker} has no token`);
  return token;
}
