import type {
  CheckedLaunch,
  ClaimCost,
  ClaimTerms,
  HandOverCost,
  HandOverTerms,
  LaunchTerms,
} from "./claim-check/terms.ts";
import { CheckError } from "./claim-errors.ts";
import { fromCaller } from "./internal/call-stack.ts";
import { withJson } from "./internal/tokenctl-error.ts";

// The checks are loaded on first use: most commands sign nothing.

/**
 * Checks that an unsigned transaction does nothing but pay a token's fees to the agent, for a
 * bounded network fee. It refuses every instruction that a claim does not need.
 *
 * @param transaction in Solana's wire format, at most 1232 bytes
 * @returns what it claims, and its maximum cost, for example `networkFeeLamports: 25000n`
 * @throws {CheckError} that names what it refuses, and the instruction
 * @throws {OverLimitError} if the network fee exceeds the limit
 * @throws {InvalidArgumentError} if an address in the terms is not valid
 * @example
 * import { checkClaimTransaction } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const cost = await checkClaimTransaction(Buffer.from(transaction, "base64"), {
 *   agent: client.address,
 *   tokenMint: mint,
 *   maxNetworkFeeLamports: 100_000n,
 * });
 */
export async function checkClaimTransaction(
  transaction: Uint8Array,
  terms: ClaimTerms,
): Promise<ClaimCost> {
  return fromCaller(checkClaimTransaction, async () => {
    const { checkTransaction } = await import("./claim-check/transaction.ts");
    return withJson(checkTransaction(transaction, terms));
  });
}

/**
 * Checks that an unsigned transaction does nothing but give a token's fees to a wallet, for a
 * bounded network fee. It may give the role of creator of the token's own pool, and the NFTs of
 * positions in the token's own pool after migration.
 *
 * @returns what it gives, and the most that it can cost the agent
 * @throws what {@link checkClaimTransaction} throws
 * @example
 * import { checkHandOverTransaction, type HandOverTerms } from "@tokenctl/sdk";
 *
 * async function rentOf(transaction: Uint8Array, terms: HandOverTerms) {
 *   return (await checkHandOverTransaction(transaction, terms)).rentLamports;
 * }
 */
export async function checkHandOverTransaction(
  transaction: Uint8Array,
  terms: HandOverTerms,
): Promise<HandOverCost> {
  return fromCaller(checkHandOverTransaction, async () => {
    const { checkHandOver } = await import("./claim-check/hand-over.ts");
    return named("hand-over", async () => withJson(checkHandOver(transaction, terms)));
  });
}

/**
 * Checks that an unsigned transaction does nothing but launch the token that the agent asked for.
 * The agent pays and is the creator, the mint signs too, and every instruction, account and
 * argument is the expected one. It refuses a sandbox's launch that could land on another chain.
 *
 * @returns the token, and what the launch costs apart from the config's creation fee
 * @throws what {@link checkClaimTransaction} throws
 * @example
 * import { checkLaunchTransaction, type LaunchTerms } from "@tokenctl/sdk";
 *
 * async function mintOf(transaction: Uint8Array, terms: LaunchTerms) {
 *   const { tokenMint } = await checkLaunchTransaction(transaction, terms);
 *   return tokenMint;
 * }
 */
export async function checkLaunchTransaction(
  transaction: Uint8Array,
  terms: LaunchTerms,
): Promise<CheckedLaunch> {
  return fromCaller(checkLaunchTransaction, async () => {
    const { checkLaunch } = await import("./claim-check/launch.ts");
    return named("launch", async () => withJson(checkLaunch(transaction, terms)));
  });
}

/** Runs a check of a hand-over or launch, so that a refusal names it. */
export async function named<T>(what: "hand-over" | "launch", check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw error instanceof CheckError ? new CheckError(error, what) : error;
  }
}
