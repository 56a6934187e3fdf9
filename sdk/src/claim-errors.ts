import type { ClaimReceipt } from "@tokenctl/shared/types";
import { TokenctlError } from "./errors.ts";

/**
 * A signed claim was handed in, and whether it was paid is not known: no answer came, or one that
 * does not tell. `cause` is why. Code `claim_unsettled`.
 *
 * Claiming again is safe at once: it asks for a new transaction, and fees are paid once. The old one
 * lands within 90 s of its making or never; until then `submitClaim` with the same one tells.
 */
export class ClaimUnsettledError extends TokenctlError {
  readonly tokenMint: string;
  /** Base64, as `submitClaim` takes it. */
  readonly signedTransaction: string;

  constructor(tokenMint: string, signedTransaction: string, cause: Error) {
    super(
      "claim_unsettled",
      `It is not known whether the claim of ${tokenMint} was paid: ${cause.message}`,
      {
        cause,
        hint: "Claim again once the server answers: it cannot pay twice, as fees are paid once",
      },
    );
    this.tokenMint = tokenMint;
    this.signedTransaction = signedTransaction;
  }
}

/** What the claim check saw and where. */
export interface ClaimCheckFinding {
  /** Position of the instruction in the transaction, from 0; null where it is about the whole. */
  instruction: number | null;
  /** The address of the program called, base58; null where it is about the whole. */
  program: string | null;
  /** What was seen, for example `CloseAccount pays 7xKX… instead of the agent`. */
  saw: string;
}

/**
 * A claim transaction does something other than pay fees to the agent. It was not signed.
 * Code `claim_check_failed`.
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
 * The server's receipt is not of the transaction that the agent signed, or not what that did on the
 * cluster. The claim may have landed all the same. Code `receipt_mismatch`.
 */
export class ClaimReceiptError extends TokenctlError {
  /** The signature of the transaction that the agent signed, base58. */
  readonly transactionHash: string;
  readonly receipt: ClaimReceipt;

  constructor(receipt: ClaimReceipt, transactionHash: string, saw: string) {
    super("receipt_mismatch", `The receipt of claim ${transactionHash} is wrong: ${saw}`, {
      hint: "Make no more claims with this server; look the transaction up on the cluster",
    });
    this.transactionHash = transactionHash;
    this.receipt = receipt;
  }
}

/** The server says that a claim landed, and the client's own RPC does not. Code `claim_unverified`. */
export class ClaimUnverifiedError extends TokenctlError {
  readonly transactionHash: string;
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
