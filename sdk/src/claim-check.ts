import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";

/**
 * Checks that an unsigned transaction does nothing but pay a token's fees to the agent. The agent
 * is the only signer and pays a bounded fee; every instruction is one of the few that a claim
 * needs, and pays only the agent. Anything unknown is refused.
 *
 * @param transaction a transaction in Solana's wire format, at most 1232 bytes
 * @returns what it costs the agent at most, for example `networkFeeLamports: 25000n`
 * @throws {ClaimCheckError} that says what it saw, and in which instruction
 * @throws {InvalidArgumentError} if the terms name something that is not an address
 * @example
 * ```ts
 * import { checkClaimTransaction } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const cost = await checkClaimTransaction(Buffer.from(transaction, "base64"), {
 *   agent: client.address,
 *   tokenMint: mint,
 *   maxNetworkFeeLamports: 100_000n,
 * });
 * ```
 */
export async function checkClaimTransaction(
  transaction: Uint8Array,
  terms: ClaimTerms,
): Promise<ClaimCost> {
  // Loaded on first use: most commands make no claim.
  const { checkTransaction } = await import("./claim-check/transaction.ts");
  return checkTransaction(transaction, terms);
}

/**
 * @returns whether a claim transfers wrapped SOL, as a sandbox's does; the check of such a claim
 * needs the token's pool
 * @throws {ClaimCheckError} if the transaction cannot be read
 */
export async function needsSandboxPool(transaction: Uint8Array): Promise<boolean> {
  const { hasTransfer } = await import("./claim-check/transaction.ts");
  return hasTransfer(transaction);
}
