import {
  ComputeBudgetProgram,
  type Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
} from "@solana/web3.js";
import { signedBytes } from "../base/native-keys.ts";

export const FAUCET_LAMPORTS = 500_000_000_000_000_000n;

/** Above the 300 compute units that an airdrop needs. */
const MIN_COMPUTE_UNITS = 1_000;
const COMPUTE_UNIT_CHOICES = 1_000_000;

/** Returns the signed bytes of an airdrop. Its number must differ from others of the same slot. */
export function airdropTransaction(
  faucet: Keypair,
  { to, lamports }: { readonly to: PublicKey; readonly lamports: bigint },
  { blockhash, number }: { readonly blockhash: string; readonly number: number },
): Uint8Array {
  // Two equal airdrops within a slot would be the same transaction. A different compute limit makes
  // them differ, and has no other effect.
  const units = MIN_COMPUTE_UNITS + (number % COMPUTE_UNIT_CHOICES);
  const transaction = new Transaction({
    feePayer: faucet.publicKey,
    recentBlockhash: blockhash,
  }).add(
    ComputeBudgetProgram.setComputeUnitLimit({ units }),
    SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey: to, lamports }),
  );
  return signedBytes(transaction, [faucet]);
}
