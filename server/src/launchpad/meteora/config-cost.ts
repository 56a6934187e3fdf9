import type { Connection, PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { LAMPORTS_PER_SIGNATURE } from "../../solana/priority-fee.ts";
import { meteoraPrograms } from "./programs.ts";

/**
 * What a launch takes from the launch wallet: fees of the network and of Token Metadata in lamports, and
 * the bytes that rent is paid for. The mint of Token-2022 holds the token's texts; these are short ones.
 */
const LAUNCH_COSTS = {
  spl: { fees: 10_010_000n, bytes: 2_155n },
  "token-2022": { fees: 10_000n, bytes: 1_680n },
};

/** @returns about how many lamports a launch takes from the launch wallet */
export function launchCost(standard: keyof typeof LAUNCH_COSTS, rentPerByte: bigint): bigint {
  const { fees, bytes } = LAUNCH_COSTS[standard];
  return fees + bytes * rentPerByte;
}

/** Signatures of the transaction: the launch wallet's and the config's. */
const SIGNATURES = 2n;

/**
 * Checks whether a wallet can pay for a new config: the rent of its account and the signatures.
 * Afterwards the wallet must hold 0 lamports, or at least its own rent exemption.
 *
 * @returns what the wallet holds and about how much it needs, in a sentence; null if it can pay
 */
export async function configShortage(
  connection: Connection,
  wallet: PublicKey,
): Promise<string | null> {
  const size = meteoraPrograms(connection).curve.coder.accounts.size("poolConfig");
  const [balance, rent, walletRent] = (
    await Promise.all([
      connection.getBalance(wallet),
      connection.getMinimumBalanceForRentExemption(size),
      connection.getMinimumBalanceForRentExemption(0),
    ])
  ).map(BigInt) as [bigint, bigint, bigint];
  const cost = rent + SIGNATURES * LAMPORTS_PER_SIGNATURE;
  const left = balance - cost;
  if (left === 0n || left >= walletRent) return null;
  return (
    `The launch wallet ${wallet} holds ${formatSol(balance)} SOL and needs about ` +
    `${formatSol(cost + walletRent)} SOL for a config: send SOL to it.`
  );
}
