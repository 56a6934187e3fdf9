import type { CurveKnot, FeeSchedule } from "@tokenctl/shared/types";

export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}

const SETTLING_MS = 30_000;

/** Whether a node may still show the state before a claim or hand-over at `since`. */
export function isSettling(since: number | null, now: number): boolean {
  return since !== null && Math.abs(now - since) < SETTLING_MS;
}

export interface PoolTerms {
  readonly config: string | null;
  readonly fees: FeeSchedule;
  /** From the first price to migration; at least two knots. */
  readonly curve: readonly CurveKnot[];
  /** One-time fees, if the chain's program has them. */
  readonly once?: {
    /** SOL for each launch, besides its rent. */
    readonly creationSOL: number;
    /** A percentage of what the curve holds when it migrates. */
    readonly migrationPercent: number;
  };
}

/** The price of one token in units of 10⁻²⁴ SOL: exact, and fine enough for any curve. */
export type Price = bigint;

const PRICE_DECIMALS = 24;
const SOL_DECIMALS = 9;

export interface Market {
  readonly price: Price;
  /** In lamports, for the whole supply. */
  readonly marketCap: bigint;
  /** Lamports in the curve, without fees; null once the pool has migrated. */
  readonly raised: bigint | null;
  /** Lamports at which the curve migrates. */
  readonly goal: bigint;
  /** Lamports that the creator has earned on the curve. */
  readonly earned: bigint;
  /** Lamports that all trades on the curve have paid in fees. */
  readonly fees: bigint;
  /** The fee as a fraction of a trade, at a time in Unix milliseconds; null if unknown. */
  readonly feeRateAt: (time: number) => Fraction | null;
}

export interface Fraction {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

/** @param unit lamports per base unit @param supply in base units */
export function valued(
  unit: Fraction,
  supply: bigint,
  decimals: number,
): Pick<Market, "price" | "marketCap"> {
  const scale = 10n ** BigInt(PRICE_DECIMALS - SOL_DECIMALS + decimals);
  return {
    price: (unit.dividend * scale) / unit.divisor,
    marketCap: (unit.dividend * supply) / unit.divisor,
  };
}

/** @returns SOL, as the closest double */
export const priceInSol = (price: Price) => Number(`${price}e-${PRICE_DECIMALS}`);

/** `other_server`: another server watches; `failed`: chain or database did not answer. */
export const WATCH_OUTCOMES = ["done", "other_server", "failed"] as const;
export type WatchOutcome = (typeof WATCH_OUTCOMES)[number];
