import type { HandOverCost, HandOverTerms } from "./claim-check/hand-over-terms.ts";
import { ClaimCheckError, HandOverCheckError } from "./claim-errors.ts";

/**
 * Checks that an unsigned transaction does nothing but give a token's fees to a wallet: the role in the token's
 * own pool, and the NFTs of positions in the token's own pool after the curve, for a bounded network fee.
 *
 * @param transaction in Solana's wire format, at most 1232 bytes
 * @returns what it gives, and the most that it can cost the agent
 * @throws {HandOverCheckError} that says what it refuses, and in which instruction
 * @throws {InvalidArgumentError} if an address in the terms is not one
 * @example
 * ```ts
 * import { checkHandOverTransaction, type HandOverTerms } from "@tokenctl/sdk";
 *
 * async function rentOf(transaction: Uint8Array, terms: HandOverTerms) {
 *   return (await checkHandOverTransaction(transaction, terms)).rentLamports;
 * }
 * ```
 */
export async function checkHandOverTransaction(
  transaction: Uint8Array,
  terms: HandOverTerms,
): Promise<HandOverCost> {
  // Loaded on first use: few agents hand a token over.
  const { checkHandOver } = await import("./claim-check/hand-over.ts");
  try {
    return checkHandOver(transaction, terms);
  } catch (error) {
    throw error instanceof ClaimCheckError ? new HandOverCheckError(error) : error;
  }
}
