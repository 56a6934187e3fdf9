import type * as Checks from "./claim-check/launch.ts";
import type { SandboxLaunchCost, SandboxLaunchTerms } from "./claim-check/launch.ts";
import type { CheckedLaunch, LaunchTerms } from "./claim-check/launch-terms.ts";
import { ClaimCheckError, LaunchCheckError } from "./claim-errors.ts";

/**
 * Checks that an unsigned transaction does nothing but launch the token that the agent asked for: the agent
 * pays and is the creator, the mint signs beside it, and every instruction, account and argument is the
 * expected one. Anything else is refused.
 *
 * @param transaction a transaction in Solana's wire format, at most 1232 bytes
 * @returns the token, and what the launch costs apart from the config's creation fee
 * @throws {LaunchCheckError} that says what it saw, and in which instruction
 * @example
 * ```ts
 * import { checkLaunchTransaction, type LaunchTerms } from "@tokenctl/sdk";
 *
 * async function mintOf(transaction: Uint8Array, terms: LaunchTerms) {
 *   const { tokenMint } = await checkLaunchTransaction(transaction, terms);
 *   return tokenMint;
 * }
 * ```
 */
export async function checkLaunchTransaction(
  transaction: Uint8Array,
  terms: LaunchTerms,
): Promise<CheckedLaunch> {
  return checked(({ checkLaunch }) => checkLaunch(transaction, terms));
}

/**
 * @returns the most that it takes from the agent
 * @throws {LaunchCheckError} if a sandbox's launch takes more than it may, or does anything else
 */
export async function checkSandboxTransaction(
  transaction: Uint8Array,
  terms: SandboxLaunchTerms,
): Promise<SandboxLaunchCost> {
  return checked(({ checkSandboxLaunch }) => checkSandboxLaunch(transaction, terms));
}

async function checked<T>(check: (checks: typeof Checks) => T): Promise<T> {
  // Loaded on first use: most launches are paid by the operator.
  const checks = await import("./claim-check/launch.ts");
  try {
    return check(checks);
  } catch (error) {
    throw error instanceof ClaimCheckError ? new LaunchCheckError(error) : error;
  }
}
