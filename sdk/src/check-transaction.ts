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
import { decodeTransaction, signChecked } from "./internal/signed.ts";
import { withJson } from "./internal/tokenctl-error.ts";
import type { Signer } from "./signer.ts";

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
 * @param transaction in Solana's wire format, at most 1232 bytes
 * @returns what it gives, and the most that it can cost the agent
 * @throws {CheckError} that names what it refuses, and the instruction
 * @throws {OverLimitError} if the network fee exceeds the limit
 * @throws {InvalidArgumentError} if an address in the terms is not valid
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
 * @param transaction in Solana's wire format, at most 1232 bytes
 * @returns the token, and what the launch costs apart from the config's creation fee
 * @throws {CheckError} that names what it refuses, and the instruction
 * @throws {OverLimitError} if the network fee exceeds the limit
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

/**
 * Checks a claim transaction, has it signed, and checks that the signer returned the same
 * transaction. Unless the claim is sponsored, a wallet may add up to eight Lighthouse assertions
 * (`L2TExMF…`), which can only make it fail.
 *
 * @param transaction unsigned, base64, from `prepareClaim`
 * @param terms `approve` is called before the signature; if it throws, nothing is signed
 * @returns the signed transaction, base64
 * @throws {CheckError} if the transaction does anything but pay fees to the signer
 * @throws {SignerError} if the signer failed or signed anything else
 * @example
 * import { keypairSigner, signClaim } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const terms = { tokenMint: mint, maxNetworkFeeLamports: 100_000n };
 * const signed = await signClaim(keypairSigner(secretKey), transaction, terms);
 */
export async function signClaim(
  signer: Signer,
  transaction: string,
  terms: Omit<ClaimTerms, "agent"> & {
    readonly approve?: (cost: ClaimCost) => void | Promise<void>;
  },
): Promise<string> {
  return fromCaller(signClaim, async () => {
    const { approve, ...asked } = terms;
    const unsigned = decodeTransaction(transaction);
    const cost = await checkClaimTransaction(unsigned, { ...asked, agent: signer.publicKey });
    await approve?.(cost);
    return signChecked(signer, unsigned, { what: "claim" });
  });
}
