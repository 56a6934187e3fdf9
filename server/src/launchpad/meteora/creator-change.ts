import type { CreatorChange } from "../launchpad.ts";
import type { Curve } from "./curve-reader.ts";
import type { LiquidityHolding } from "./liquidity-reader.ts";

/**
 * Which fees of a token are an agent's no more. Those of the curve belong to the pool's creator, which its
 * account names. Those of the pool after it belong to whom holds the NFT of the creator's position; no
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
