import type { Connection, PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { LAMPORTS_PER_SIGNATURE } from "../../solana/priority-fee.ts";
import { meteoraPrograms } from "./programs.ts";

/** The launch wallet's and the config's. */
const SIGNATURES = 2n;

/**
 * Whether a wallet can pay for a new config: the rent of its account and the signatures. What is
 * left has to be nothing, or as much as a wallet needs to exist.
 *
 * @returns what it holds and about how much it needs, in a sentence; null where it can pay
 */
export async function configShortage(
  connection: Connection,
  wallet: PublicKey,
): Promise<string | null> {
  const size = meteoraPrograms(connection).curve.coder.accounts.size("poolConfig");
  const [balance, rent, least] = (
    await Promise.all([
      connection.getBalance(wallet),
      connection.getMinimumBalanceForRentExemption(size),
      connection.getMinimumBalanceForRentExemption(0),
    ])
  ).map(BigInt) as [bigint, bigint, bigint];
  const cost = rent + SIGNATURES * LAMPORTS_PER_SIGNATURE;
  const left = balance - cost;
  if (left === 0n || left >= least) return null;
  return (
    `The launch wallet ${wallet} holds ${formatSol(balance)} SOL and needs about ` +
    `${formatSol(cost + least)} SOL for a config: send SOL to it.`
  );
}
