import { formatSol } from "@tokenctl/shared/sol";
import type { ClaimReceipt } from "@tokenctl/shared/types";
import { errorOf, TokenctlError } from "./internal/tokenctl-error.ts";

/**
 * `claim_unsettled`: it is not known whether a submitted claim was paid. `cause` is the reason.
 *
 * You can claim again at once with a new transaction, because the chain pays fees only once. The
 * old transaction lands before its blockhash expires (about 90 s at slots of 400 ms) or never;
 * `submitClaim` with the same transaction returns its outcome.
 *
 * @example
 * import { ClaimUnsettledError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimUnsettledError) {
 *   await client.submitClaim(error.tokenMint, error.signedTransaction);
 * }
 */
export class ClaimUnsettledError extends errorOf<{
  /** Base58. */
  tokenMint: string;
  /** All tokens of the claim, `tokenMint` first. */
  tokenMints: readonly string[];
  /** Base64, as `submitClaim` takes it. */
  signedTransaction: string;
}>("claim_unsettled") {}

/**
 * `hand_over_unsettled`: it is not known whether a submitted hand-over landed. `cause` is why.
 *
 * Its transaction lands before its blockhash expires (about 90 s at slots of 400 ms) or never;
 * `submitHandOver` with the same transaction returns its outcome.
 *
 * @example
 * import { HandOverUnsettledError } from "@tokenctl/sdk";
 *
 * if (error instanceof HandOverUnsettledError) {
 *   const { tokenMint, to, signedTransaction } = error;
 *   await client.submitHandOver(tokenMint, { to, signedTransaction });
 * }
 */
export class HandOverUnsettledError extends errorOf<{
  /** Base58. */
  tokenMint: string;
  /** The wallet that was to get the token's fees, base58. */
  to: string;
  /** Base64, as `submitHandOver` takes it. */
  signedTransaction: string;
  /** The transaction's signature, base58. */
  transactionHash: string;
  /** The claims made before it. */
  claimed: readonly ClaimReceipt[];
}>("hand_over_unsettled") {}

/**
 * `over_limit`: a transaction costs more than you allow. Nothing was signed.
 *
 * @example
 * import { OverLimitError } from "@tokenctl/sdk";
 *
 * if (error instanceof OverLimitError) {
 *   console.error(`${error.limit}: ${error.neededLamports} instead of ${error.allowedLamports}`);
 * }
 */
export class OverLimitError extends TokenctlError {
  /** The option that sets the limit. */
  declare readonly limit: "maxNetworkFeeLamports" | "maxCostSOL";
  declare readonly neededLamports: bigint;
  declare readonly allowedLamports: bigint;

  constructor(
    limit: OverLimitError["limit"],
    { needed, allowed }: { readonly needed: bigint; readonly allowed: bigint },
  ) {
    const [what, how] =
      limit === "maxCostSOL"
        ? ["It costs", (lamports: bigint) => `${formatSol(lamports)} SOL`]
        : ["Its network fee is", (lamports: bigint) => `${lamports} lamports`];
    super("over_limit", `${what} ${how(needed)}, more than your ${limit} of ${how(allowed)}`, {
      hint: `Nothing was signed. Raise ${limit} if you want to pay that`,
      limit,
      neededLamports: needed,
      allowedLamports: allowed,
    });
  }
}

/** What the check of a transaction refused. */
export interface CheckFinding {
  /** Position of the instruction, from 0; null for the transaction as a whole. */
  instruction: number | null;
  /** The program of the instruction, base58; null for the transaction as a whole. */
  program: string | null;
  /** For example `CloseAccount's destination is 7xKX… instead of 9xQe…`. */
  saw: string;
}

/**
 * `claim_check_failed`, `hand_over_check_failed` or `launch_check_failed`: a transaction does not
 * do what was asked for, or does more. It was not signed.
 *
 * @example
 * import { CheckError } from "@tokenctl/sdk";
 *
 * if (error instanceof CheckError) {
 *   console.error(`instruction ${error.instruction} of ${error.program}: ${error.saw}`);
 * }
 */
export class CheckError extends TokenctlError implements CheckFinding {
  declare readonly instruction: number | null;
  declare readonly program: string | null;
  declare readonly saw: string;

  constructor(
    { instruction, program, saw }: CheckFinding,
    what: "claim" | "hand-over" | "launch" = "claim",
  ) {
    const where = instruction === null ? "" : ` (instruction ${instruction}, program ${program})`;
    const code = `${what === "hand-over" ? "hand_over" : what}_check_failed` as const;
    super(code, `Refused to sign the ${what}: ${saw}${where}`, {
      hint: "Nothing was signed. Do not sign this transaction elsewhere; tell the server's operator",
      instruction,
      program,
      saw,
    });
  }
}

interface ReceiptFields {
  /** The signature of the transaction that the agent signed, base58. */
  transactionHash: string;
  /** The server's answer. */
  receipt: ClaimReceipt;
}

/**
 * `receipt_mismatch`: the receipt names a transaction that the agent did not sign, or amounts that
 * the cluster does not show. The claim may still have landed.
 *
 * @example
 * import { ClaimReceiptError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimReceiptError) {
 *   console.error(`${error.transactionHash} did not pay ${error.receipt.claimedSOL} SOL`);
 * }
 */
export class ClaimReceiptError extends errorOf<ReceiptFields>("receipt_mismatch") {}

/**
 * `claim_unverified`: the server says that a claim landed, but `rpcUrl`'s node does not show it.
 *
 * @example
 * import { ClaimUnverifiedError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimUnverifiedError) {
 *   console.error(`look ${error.transactionHash} up later: ${error.receipt.claimedSOL} SOL`);
 * }
 */
export class ClaimUnverifiedError extends errorOf<ReceiptFields>("claim_unverified") {}

/**
 * `not_approved`: your `approve` (in `claimAll` also `onClaim`) threw the `cause`, and something is
 * left behind: other claims, a launch (`eventId`), or the claims before a hand-over (`claimed`).
 */
export class NotApprovedError extends TokenctlError {
  constructor(cause: unknown) {
    super("not_approved", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
