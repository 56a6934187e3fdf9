import { TOKEN_DECIMALS } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { CurveKnot } from "@tokenctl/shared/types";
import { priceInSol, valued } from "../../domain/token.ts";

/** Base units of every token: 10⁹ tokens. */
export const TOTAL_SUPPLY = 1_000_000_000n * 1_000_000n;

/**
 * Base units that the curve adds to those in its vault. Together with the virtual lamports they set
 * the first price, and leave a fifth of the supply at graduation.
 */
const VIRTUAL_TOKENS = 73_000_000n * 1_000_000n;

export interface CurveTerms {
  /** The creator's share of each trade, in basis points, under 10,000. */
  readonly feeBps: number;
  readonly graduationLamports: bigint;
}

const BPS = 10_000n;

export function marketValue(reserves: Reserves, terms: CurveTerms) {
  const { x, y } = virtual(reserves, terms);
  return valued({ dividend: x, divisor: y }, TOTAL_SUPPLY, TOKEN_DECIMALS);
}

export function curveKnots(terms: CurveTerms): CurveKnot[] {
  const start = { lamports: 0n, tokens: TOTAL_SUPPLY };
  const bought = quoteBuy(start, terms.graduationLamports, { ...terms, feeBps: 0 });
  const end = { lamports: bought.lamports, tokens: TOTAL_SUPPLY - bought.tokens };
  return [start, end].map((reserves) => ({
    raisedSOL: lamportsToSol(reserves.lamports),
    priceSOL: priceInSol(marketValue(reserves, terms).price),
  }));
}

export interface Reserves {
  readonly lamports: bigint;
  readonly tokens: bigint;
}

export interface Quote {
  /** Lamports between the trader and the quote vault. */
  readonly lamports: bigint;
  /** Base units between the base vault and the trader. */
  readonly tokens: bigint;
  readonly feeLamports: bigint;
}

/** @returns the creator's fee of an amount, in lamports; rounded up, so that no trade is free */
export function creatorFee(lamports: bigint, feeBps: number): bigint {
  return ceilDiv(lamports * BigInt(feeBps), BPS);
}

/**
 * Quotes a purchase for lamports that include the fee: constant product, rounded in the pool's
 * favour. The tokens may be 0, or more than the pool has.
 */
export function quoteBuy(reserves: Reserves, paid: bigint, terms: CurveTerms): Quote {
  const feeLamports = creatorFee(paid, terms.feeBps);
  const lamports = paid - feeLamports;
  const { x, y } = virtual(reserves, terms);
  const tokens = y - ceilDiv(x * y, x + lamports);
  return { lamports, tokens, feeLamports };
}

/** Quotes a sale: constant product, rounded in the pool's favour; the worth pays the fee. */
export function quoteSell(reserves: Reserves, worth: bigint, terms: CurveTerms): Quote {
  const { x, y } = virtual(reserves, terms);
  const feeLamports = creatorFee(worth, terms.feeBps);
  return { lamports: worth - feeLamports, tokens: ceilDiv(x * y, x - worth) - y, feeLamports };
}

/** @returns the least that a buyer must pay in total so that `lamports` reach the pool */
export function paymentFor(lamports: bigint, feeBps: number): bigint {
  let paid = (lamports * BPS) / (BPS - BigInt(feeBps));
  while (paid - creatorFee(paid, feeBps) < lamports) paid += 1n;
  return paid;
}

function virtual({ lamports, tokens }: Reserves, terms: CurveTerms): { x: bigint; y: bigint } {
  // 30 SOL for a threshold of 85, others in proportion: tokens are left at every threshold.
  return { x: (terms.graduationLamports * 30n) / 85n + lamports, y: VIRTUAL_TOKENS + tokens };
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
