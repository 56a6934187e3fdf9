import { TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { payoutsOf, type TokenBalances } from "../../solana/payout.ts";
import type { SignedClaim, TokenPayout } from "../launchpad.ts";
import type { PoolProgram } from "../pool-program.ts";

/**
 * What a confirmed claim took of each of its tokens, from the balances of the vaults.
 *
 * @returns one for each token, in their order
 */
export function claimPayouts(
  program: Pick<PoolProgram, "sourceOf">,
  { agent, tokens, transaction }: SignedClaim,
  balances: TokenBalances,
): TokenPayout[] {
  const { message } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  const payouts = tokens.map(({ tokenMint }) => ({
    ...{ tokenMint, bondingCurve: 0n, liquidityPool: 0n },
  }));
  for (const { accountIndex, lamports } of payoutsOf(balances, agent)) {
    const vault = message.staticAccountKeys[accountIndex];
    const source = vault && program.sourceOf(vault.toBase58(), tokens, instructions);
    const payout = payouts.find(({ tokenMint }) => tokenMint === source?.tokenMint);
    if (source && payout) payout[source.kind] += lamports;
  }
  return payouts;
}
