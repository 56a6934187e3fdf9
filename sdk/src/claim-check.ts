import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";

/**
 * Checks that an unsigned transaction does nothing but pay a token's fees to the agent, for a bounded
 * network fee. It refuses every instruction that a claim does not need.
 *
 * @param transaction in Solana's wire format, at most 1232 bytes
 * @returns the most that it can cost the agent, for example `networkFeeLamports: 25000n`
 * @throws {ClaimCheckError} that says what it refuses, and in which instruction
 * @throws {InvalidArgumentError} if an address in the terms is not one
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

/** @returns whether a claim transfers wrapped SOL, as on a sandbox: its check then needs the token's pool */
export async function needsSandboxPool(transaction: Uint8Array): Promise<boolean> {
  const { hasTransfer } = await import("./claim-check/transaction.ts");
  return hasTransfer(transaction);
}
