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
    const [cost, most] = [needed, allowed].map((lamports) =>
      limit === "maxCostSOL" ? `${formatSol(lamports)} SOL` : `${lamports} lamports`,
    );
    super("over_limit", `It costs ${cost}, more than your ${limit} of ${most}`, {
      hint: `Nothing was signed. Raise ${limit} if you want to pay that`,
      limit,
      neededLamports: needed,
      allowedLamports: allowed,
    });
  }
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
export class CheckError extends TokenctlError {
  /** Position of the instruction, from 0; null for the transaction as a whole. */
  declare readonly instruction: number | null;
  /** The program of the instruction, base58; null for the transaction as a whole. */
  declare readonly program: string | null;
  /** For example `CloseAccount's destination is 7xKX… instead of 9xQe…`. */
  declare readonly saw: string;

  constructor(
    { instruction, program, saw }: Pick<CheckError, "instruction" | "program" | "saw">,
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

/**
 * `receipt_mismatch`: the receipt names a transaction that the agent did not sign, or amounts that
 * the cluster does not show. `claim_unverified`: the node of `rpcUrl` does not show the claim. In
 * both cases it may have landed.
 *
 * @example
 * import { ClaimReceiptError } from "@tokenctl/sdk";
 *
 * if (error instanceof ClaimReceiptError) {
 *   console.error(`look ${error.transactionHash} up: ${error.receipt.claimedSOL} SOL`);
 * }
 */
export class ClaimReceiptError extends TokenctlError {
  /** The signature of the transaction that the agent signed, base58. */
  declare readonly transactionHash: string;
  /** The server's answer. */
  declare readonly receipt: ClaimReceipt;
}
