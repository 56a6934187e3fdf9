import type { ClaimReceipt } from "@tokenctl/shared/types";
import { TokenctlError } from "./errors.ts";

/**
 * A signed claim was submitted, and it is not known whether it was paid: there was no answer, or
 * the answer does not say. `cause` is the reason. Code `claim_unsettled`.
 *
 * It is safe to claim again at once: that makes a new transaction, and the chain pays fees once.
 * The old transaction lands before its blockhash expires, or never: within 90 s at slots of 400 ms,
 * sooner at shorter ones; `submitClaim` with the same one returns its outcome.
 *
 * @example
 * ```ts
 * import { ClaimUnsettledError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimUnsettledError) {
 *   await client.submitClaim(error.tokenMint, error.signedTransaction);
 * }
 * ```
 */
export class ClaimUnsettledError extends TokenctlError {
  /** Base58. */
  readonly tokenMint: string;
  /** All tokens of the claim; `tokenMint` comes first. */
  readonly tokenMints: readonly string[];
  /** Base64, as `submitClaim` takes it. */
  readonly signedTransaction: string;

  constructor(
    tokenMint: string,
    signedTransaction: string,
    cause: Error,
    tokenMints: readonly string[] = [tokenMint],
  ) {
    super(
      "claim_unsettled",
      `It is not known whether the claim of ${tokenMint} was paid: ${cause.message}`,
      {
        cause,
        hint: "Claim again once the server answers: it cannot pay twice, as fees are paid once",
      },
    );
    this.tokenMint = tokenMint;
    this.tokenMints = tokenMints;
    this.signedTransaction = signedTransaction;
  }
}

/** What the claim check saw, and in which instruction. */
export interface ClaimCheckFinding {
  /** Position of the instruction in the transaction, from 0; null if it is about the whole. */
  instruction: number | null;
  /** The address of the program called, base58; null if it is about the whole. */
  program: string | null;
  /** What was seen, for example `CloseAccount pays 7xKX… instead of the agent`. */
  saw: string;
}

/**
 * A claim transaction does something other than pay fees to the agent. It was not signed.
 * Code `claim_check_failed`.
 *
 * @example
 * ```ts
 * import { ClaimCheckError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimCheckError) {
 *   console.error(`instruction ${error.instruction} of ${error.program}: ${error.saw}`);
 * }
 * ```
 */
export class ClaimCheckError extends TokenctlError implements ClaimCheckFinding {
  readonly instruction: number | null;
  readonly program: string | null;
  readonly saw: string;

  constructor(finding: ClaimCheckFinding) {
    const where =
      finding.instruction === null
        ? ""
        : ` (instruction ${finding.instruction}, program ${finding.program})`;
    super("claim_check_failed", `Refused to sign the claim: ${finding.saw}${where}`, {
      hint: "Nothing was signed. Do not sign this transaction elsewhere; tell the server's operator",
    });
    this.instruction = finding.instruction;
    this.program = finding.program;
    this.saw = finding.saw;
  }
}

/**
 * The server's receipt names another transaction than the agent signed, or other amounts than the
 * cluster shows. The claim may still have landed. Code `receipt_mismatch`.
 *
 * @example
 * ```ts
 * import { ClaimReceiptError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimReceiptError) {
 *   console.error(`${error.transactionHash} did not pay ${error.receipt.claimedSOL} SOL`);
 * }
 * ```
 */
export class ClaimReceiptError extends TokenctlError {
  /** The signature of the transaction that the agent signed, base58. */
  readonly transactionHash: string;
  /** What the server answered. */
  readonly receipt: ClaimReceipt;

  constructor(receipt: ClaimReceipt, transactionHash: string, saw: string) {
    super("receipt_mismatch", `The receipt of claim ${transactionHash} is wrong: ${saw}`, {
      hint: "Make no more claims with this server; look the transaction up on the cluster",
    });
    this.transactionHash = transactionHash;
    this.receipt = receipt;
  }
}

/**
 * The server says that a claim landed, but the node of `rpcUrl` does not show it.
 * Code `claim_unverified`.
 *
 * @example
 * ```ts
 * import { ClaimUnverifiedError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimUnverifiedError) {
 *   console.error(`look ${error.transactionHash} up later: ${error.receipt.claimedSOL} SOL`);
 * }
 * ```
 */
export class ClaimUnverifiedError extends TokenctlError {
  /** The signature of the transaction that the agent signed, base58. */
  readonly transactionHash: string;
  /** What the server answered. */
  readonly receipt: ClaimReceipt;

  constructor(receipt: ClaimReceipt, why: string) {
    const { transactionHash } = receipt;
    super("claim_unverified", `The claim ${transactionHash} could not be verified: ${why}`, {
      hint: "It may have landed: look it up later, on the cluster that the server works with",
    });
    this.transactionHash = transactionHash;
    this.receipt = receipt;
  }
}

/**
 * The caller's `approve` or `onClaim` threw for a token of `claimAll`; that error is the `cause`. Nothing was
 * signed. Code `not_approved`.
 */
export class NotApprovedError extends TokenctlError {
  constructor(cause: unknown) {
    super("not_approved", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
