/** What a claim transaction must keep to. */
export interface ClaimTerms {
  /** The wallet that is to sign, and to be paid: base58. */
  agent: string;
  /** The token whose fees are claimed: base58 of its mint. */
  tokenMint: string;
  /** Lamports of network fee, priority fee included, that it may cost the agent at most. */
  maxNetworkFeeLamports: bigint;
}

/**
 * Checks that an unsigned transaction does nothing but take a token's fees to the agent: it is the
 * only signer and pays a bounded fee, and every instruction is one of the few that a claim is made
 * of, with the agent in every place that gains. What is not known is refused.
 *
 * @param transaction a transaction in Solana's wire format
 * @throws {ClaimCheckError} that says what it saw, and in which instruction
 */
export async function checkClaimTransaction(
  transaction: Uint8Array,
  terms: ClaimTerms,
): Promise<void> {
  // Loaded when it is needed: the Solana library takes longer to load than most commands take.
  const { checkTransaction } = await import("./claim-check/transaction.ts");
  checkTransaction(transaction, terms);
}
