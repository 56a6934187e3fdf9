import type { Keypair } from "@solana/web3.js";
import { payoutOf } from "@tokenctl/shared/payout";
import type { TokenRef } from "../../../domain/token.ts";
import { claimOf } from "../../pool-program.ts";
import type { TestLaunchpad } from "./launchpad.ts";
import { send } from "./send.ts";

/** The result of a claim; amounts in lamports. */
export interface SentClaim {
  readonly paid: bigint;
  readonly gained: bigint;
  readonly instructions: number;
  readonly bytes: number;
}

/**
 * Claims a token's fees for a wallet.
 *
 * @throws {Error} there is nothing to claim
 */
export async function sendClaim(
  { cluster: { chain, connection }, program }: TestLaunchpad,
  wallet: Keypair,
  token: TokenRef,
): Promise<SentClaim> {
  const agent = wallet.publicKey.toBase58();
  const before = chain.getBalance(agent);
  const parts = await program.claim(agent, [token]);
  if (!parts) throw new Error("nothing to claim");
  const instructions = claimOf(parts);
  const signature = await send(connection, instructions, [wallet]);
  const landed = await connection.getTransaction(signature, {
    commitment: "confirmed",
    maxSupportedTransactionVersion: 1,
  });
  if (!landed?.meta) throw new Error(`${signature} was not found`);
  return {
    paid: payoutOf(landed.meta, agent),
    gained: chain.getBalance(agent) - before,
    instructions: instructions.length,
    bytes: chain.getTransaction(signature)?.bytes.length ?? 0,
  };
}
