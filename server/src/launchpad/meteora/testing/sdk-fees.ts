import { getUnClaimLpFee } from "@meteora-ag/cp-amm-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import type { FeeTotals } from "../../pool-program.ts";
import { meteoraClients } from "./clients.ts";

export async function sdkCurveFees(connection: Connection, pool: PublicKey): Promise<FeeTotals> {
  const { creator } = await meteoraClients(connection).curve.state.getPoolFeeBreakdown(pool);
  return {
    claimable: BigInt(creator.unclaimedQuoteFee.toString()),
    claimed: BigInt(creator.claimedQuoteFee.toString()),
    total: BigInt(creator.totalQuoteFee.toString()),
  };
}

/**
 * The claimable fee of a wallet's only position in a DAMM v2 pool, by Meteora's SDK.
 *
 * @returns lamports
 * @throws {Error} the wallet has no position, or can claim tokens beside SOL
 */
export async function sdkPositionFee(
  connection: Connection,
  pool: PublicKey,
  owner: PublicKey,
): Promise<bigint> {
  const amm = meteoraClients(connection).liquidity;
  const [position] = await amm.getUserPositionByPool(pool, owner);
  if (!position) throw new Error(`${owner} has no position in ${pool}`);
  const fee = getUnClaimLpFee(await amm.fetchPoolState(pool), position.positionState);
  if (!fee.feeTokenA.isZero()) throw new Error(`${pool} took fees in tokens`);
  return BigInt(fee.feeTokenB.toString());
}
