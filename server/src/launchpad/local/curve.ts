/** Decimals of every token of the embedded chain. */
export const TOKEN_DECIMALS = 6;
/** Base units of every token: 10⁹ tokens. */
export const TOTAL_SUPPLY = 1_000_000_000n * 1_000_000n;

/** Reserves that the curve counts with beside the real ones; they set the first price. */
const VIRTUAL_LAMPORTS = 30n * 1_000_000_000n;
const VIRTUAL_TOKENS = 1_073_000_000n * 1_000_000n;

const BPS = 10_000n;

/** What a pool's vaults hold. */
export interface Reserves {
  /** Lamports in the quote vault. */
  readonly lamports: bigint;
  /** Base units in the base vault. */
  readonly tokens: bigint;
}

/** What changes hands in a trade. */
export interface Quote {
  /** Lamports between the trader and the quote vault. */
  readonly lamports: bigint;
  /** Base units between the base vault and the trader. */
  readonly tokens: bigint;
  /** Lamports for the token's agent. */
  readonly feeLamports: bigint;
}

/** @returns the creator's fee of an amount, rounded up: a trade is never free */
export function creatorFee(lamports: bigint, feeBps: number): bigint {
  return ceilDiv(lamports * BigInt(feeBps), BPS);
}

/**
 * The price of a buy by constant product, rounded in the pool's favour.
 *
 * @param paid lamports that the buyer pays in all, the fee included
 * @returns null where the pool has not that many tokens left, or they would be none
 */
export function quoteBuy(reserves: Reserves, paid: bigint, feeBps: number): Quote | null {
  const feeLamports = creatorFee(paid, feeBps);
  const lamports = paid - feeLamports;
  const { x, y } = virtual(reserves);
  const tokens = y - ceilDiv(x * y, x + lamports);
  if (tokens <= 0n || tokens > reserves.tokens) return null;
  return { lamports, tokens, feeLamports };
}

/**
 * The price of a sale by constant product, rounded in the pool's favour.
 *
 * @param worth lamports that the tokens are worth, of which the fee is taken
 * @returns null where the pool has not that many lamports
 */
export function quoteSell(reserves: Reserves, worth: bigint, feeBps: number): Quote | null {
  if (worth > reserves.lamports) return null;
  const { x, y } = virtual(reserves);
  const feeLamports = creatorFee(worth, feeBps);
  return {
    lamports: worth - feeLamports,
    tokens: ceilDiv(x * y, x - worth) - y,
    feeLamports,
  };
}

/** @returns the least that a buyer must pay in all so that `lamports` reach the pool */
export function paymentFor(lamports: bigint, feeBps: number): bigint {
  let paid = (lamports * BPS) / (BPS - BigInt(feeBps));
  while (paid - creatorFee(paid, feeBps) < lamports) paid += 1n;
  return paid;
}

function virtual({ lamports, tokens }: Reserves): { x: bigint; y: bigint } {
  return { x: VIRTUAL_LAMPORTS + lamports, y: VIRTUAL_TOKENS - (TOTAL_SUPPLY - tokens) };
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
