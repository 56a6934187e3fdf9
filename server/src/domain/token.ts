import type { CurveKnot, FeeSchedule } from "@tokenctl/shared/types";

export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}

const SETTLING_MS = 30_000;

/** Soon after a claim or a hand-over a node may still show what was before. */
export function isSettling(since: number | null, now: number): boolean {
  return since !== null && now - since < SETTLING_MS;
}

/** The terms that a pool is made under; they never change afterwards. */
export interface PoolTerms {
  readonly config: string | null;
  readonly fees: FeeSchedule;
  /** The bonding curve from its first price to migration; at least two knots. */
  readonly curve: readonly CurveKnot[];
}

/** Prices are whole numbers of 10⁻²⁴ SOL for one token: exact, and fine enough for any curve. */
export type Price = bigint;

const PRICE_DECIMALS = 24;
const SOL_DECIMALS = 9;

export interface Market {
  readonly price: Price;
  /** Lamports that all tokens together are worth. */
  readonly marketCap: bigint;
  /** Lamports that the curve holds beside fees; null once the pool has migrated. */
  readonly raised: bigint | null;
  /** Lamports in the curve at which it migrates. */
  readonly goal: bigint;
  /** Lamports of fees that the creator has earned on the curve. */
  readonly earned: bigint;
}

/** The market of a pool, by a fraction of lamports for a base unit, and all base units. */
export function valued(
  unit: { readonly dividend: bigint; readonly divisor: bigint },
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

export const WATCH_OUTCOMES = ["done", "other_server", "failed"] as const;

export interface WatchRound {
  /**
   * `done` if all was read that there is to read, `other_server` if another one of the database has the
   * watch, `failed` if the chain or the database did not answer.
   */
  readonly outcome: (typeof WATCH_OUTCOMES)[number];
  readonly milliseconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number;
}
