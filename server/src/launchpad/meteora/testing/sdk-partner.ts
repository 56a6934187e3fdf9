import type { Keypair, PublicKey, TransactionInstruction } from "@solana/web3.js";
import { payoutOf } from "@tokenctl/shared/payout";
import type { FeeTotals } from "../../pool-program.ts";
import { meteoraClients } from "./clients.ts";
import type { MeteoraCluster } from "./cluster.ts";
import { send } from "./send.ts";

export async function sdkPartnerFees(
  { connection }: MeteoraCluster,
  pool: PublicKey,
): Promise<FeeTotals> {
  const { partner } = await meteoraClients(connection).curve.state.getPoolFeeBreakdown(pool);
  return {
    claimable: BigInt(partner.unclaimedQuoteFee.toString()),
    claimed: BigInt(partner.claimedQuoteFee.toString()),
    total: BigInt(partner.totalQuoteFee.toString()),
  };
}

/** What the partner does by Meteora's SDK, as its documentation shows. Each returns what was paid. */
export function sdkPartner({ connection }: MeteoraCluster, partner: Keypair) {
  const { partner: service } = meteoraClients(connection).curve;
  const paidBy = async ({ instructions }: { instructions: TransactionInstruction[] }) => {
    const signature = await send(connection, instructions, [partner]);
    const landed = await connection.getTransaction(signature, {
      commitment: "confirmed",
      maxSupportedTransactionVersion: 1,
    });
    if (!landed?.meta) throw new Error(`${signature} was not found`);
    return payoutOf(landed.meta, partner.publicKey.toBase58());
  };
  return {
    withdrawSurplus: async (pool: PublicKey) =>
      paidBy(await service.partnerWithdrawSurplus({ pool, feeClaimer: partner.publicKey })),
    withdrawMigrationFee: async (pool: PublicKey) =>
      paidBy(await service.partnerWithdrawMigrationFee({ pool, sender: partner.publicKey })),
  };
}
