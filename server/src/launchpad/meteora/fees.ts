import type { FeeTotals } from "../launchpad.ts";
import type { LiquidityPool, Position } from "./accounts.ts";
import type { Curve } from "./curve-reader.ts";

const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

/**
 * A wallet's fees of a bonding curve, as the SDK's `getPoolFeeBreakdown` counts the creator's.
 * Someone who is not, or no longer, the pool's creator can claim none.
 */
export function curveFees({ pool, config }: Curve, wallet: string): FeeTotals {
  if (pool.creator.toBase58() !== wallet) return NO_FEES;
  const total = (pool.tradingFees * BigInt(config.creatorFeePercentage)) / 100n;
  // The program rounds at every trade and this once, so the difference is never negative.
  return { claimable: pool.creatorFee, claimed: total - pool.creatorFee, total };
}

/** Fees of positions in a DAMM v2 pool. */
export function liquidityFees(pool: LiquidityPool, positions: readonly Position[]): FeeTotals {
  let claimable = 0n;
  let claimed = 0n;
  for (const position of positions) {
    claimable += claimablePositionFee(pool, position);
    claimed += position.claimed;
  }
  return { claimable, claimed, total: claimable + claimed };
}

/**
 * Lamports that a position can claim: what is pending, and its share of what the pool earned since
 * that was last counted. As `getUnClaimLpFee` of the DAMM v2 SDK.
 */
export function claimablePositionFee(pool: LiquidityPool, position: Position): bigint {
  const earned = pool.feePerLiquidity - position.feeCheckpoint;
  // A pool that is behind its position was read from a node that is behind.
  if (earned <= 0n) return position.pending;
  return position.pending + ((position.liquidity * earned) >> 128n);
}
