import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";

/**
 * Checks that an unsigned transaction does nothing but take a token's fees to the agent: it is the
 * only signer and pays a bounded fee, and every instruction is one of the few that a claim is made
 * of, with the agent in every place that gains. What is not known is refused.
 *
 * @param transaction a transaction in Solana's wire format
 * @returns what it costs the agent at most
 * @throws {ClaimCheckError} that says what it saw, and in which instruction
 */
export async function checkClaimTransaction(
  transaction: Uint8Array,
  terms: ClaimTerms,
): Promise<ClaimCost> {
  // Loaded when it is needed: the Solana library takes longer to load than most commands take.
  const { checkTransaction } = await import("./claim-check/transaction.ts");
  return checkTransaction(transaction, terms);
}

/**
 * @returns whether a claim transfers wrapped SOL, as a sandbox's does: it then cannot be checked
 * without the token's pool
 * @throws {ClaimCheckError} if it cannot be read
 */
export async function needsSandboxPool(transaction: Uint8Array): Promise<boolean> {
  const { hasTransfer } = await import("./claim-check/transaction.ts");
  return hasTransfer(transaction);
}
