import { CpAmm, getUnClaimLpFee } from "@meteora-ag/cp-amm-sdk";
import { DynamicBondingCurveClient } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import type { FeeTotals } from "../../pool-program.ts";

/** Kept because creating them takes 150 ms, more than most transactions here. */
const made = new WeakMap<Connection, ReturnType<typeof makeClients>>();

const makeClients = (connection: Connection) => ({
  curve: DynamicBondingCurveClient.create(connection),
  liquidity: new CpAmm(connection),
});

/** The clients of Meteora's SDKs. */
export function meteoraClients(connection: Connection) {
  const clients = made.get(connection) ?? makeClients(connection);
  made.set(connection, clients);
  return clients;
}

/** What the creator or the partner of a curve has earned there, by Meteora's SDK. */
export async function sdkCurveFees(
  connection: Connection,
  pool: PublicKey,
  whose: "creator" | "partner" = "creator",
): Promise<FeeTotals> {
  const fees = (await meteoraClients(connection).curve.state.getPoolFeeBreakdown(pool))[whose];
  return {
    claimable: BigInt(fees.unclaimedQuoteFee.toString()),
    claimed: BigInt(fees.claimedQuoteFee.toString()),
    total: BigInt(fees.totalQuoteFee.toString()),
  };
}

/**
 * The claimable lamports of a wallet's only position in a DAMM v2 pool, by Meteora's SDK.
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
