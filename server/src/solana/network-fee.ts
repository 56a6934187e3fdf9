import { TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { bidOf } from "./compute-budget.ts";
import { LAMPORTS_PER_SIGNATURE } from "./priority-fee.ts";

/**
 * @param transaction a serialized legacy transaction that sets its own limit of compute units
 * @returns lamports that the transaction costs even if it fails on chain: its signatures and its bid
 */
export function networkFeeOf(transaction: Uint8Array): bigint {
  const { message, signatures } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures.length) + bidOf(instructions);
}
