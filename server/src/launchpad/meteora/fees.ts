import type { CreatorChange, FeeTotals } from "../launchpad.ts";
import type { LiquidityPool, Position } from "./accounts.ts";
import type { Curve } from "./curve-reader.ts";
import type { LiquidityHolding } from "./liquidity-reader.ts";

const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

/**
 * A wallet's fees of a bonding curve, counted as `getPoolFeeBreakdown` of the DBC SDK counts the
 * creator's. A wallet that is not, or no longer, the pool's creator has none.
 */
export function curveFees({ pool, config }: Curve, wallet: string): FeeTotals {
  if (pool.creator.toBase58() !== wallet) return NO_FEES;
  const total = (pool.tradingFees * BigInt(config.creatorFeePercentage)) / 100n;
  // The program rounds down at every trade, this rounds once: the difference is never negative.
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
 * Lamports that a position can claim: what is pending, and its share of what the pool has earned
 * since the position's checkpoint. Source: `getUnClaimLpFee` of the DAMM v2 SDK.
 */
export function claimablePositionFee(pool: LiquidityPool, position: Position): bigint {
  const earned = pool.feePerLiquidity - position.feeCheckpoint;
  // The pool was read from a node that is behind.
  if (earned <= 0n) return position.pending;
  return position.pending + ((position.liquidity * earned) >> 128n);
}

/**
 * Which fees of a token no longer belong to the agent. Those of the curve belong to the pool's creator, which its
 * account names. Those of the pool after it belong to the holder of the NFT of the creator's position; no
 * account says which NFT that was.
 *
 * @param holding the agent's positions in the pool after the curve; null before migration
 * @returns null if all are the agent's
 */
export function creatorChange(
  { pool, config }: Curve,
  holding: LiquidityHolding | null,
  agent: string,
): CreatorChange | null {
  const creator = pool.creator.toBase58();
  const lacksPosition = holding?.positions.length === 0 && config.creatorHasPosition;
  if (creator === agent && !lacksPosition) return null;
  return {
    ...(creator !== agent && { bondingCurve: creator }),
    ...(lacksPosition && { liquidityPool: null }),
  };
}

/** Whether a token that has no fees for the agent now will not have any either. */
export function isLost({ pool }: Curve, change: CreatorChange | null): change is CreatorChange {
  if (change === null) return false;
  return (pool.isMigrated ? change.liquidityPool : change.bondingCurve) !== undefined;
}
