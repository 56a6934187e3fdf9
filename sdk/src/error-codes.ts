import type { ErrorCode } from "@tokenctl/shared/error-codes";

/** A code that a tokend of this package's version sends, for example `ticker_taken`. */
export type ServerErrorCode = ErrorCode;

/** The code of an error that the client itself finds; `api_error` is an answer without a code. */
export type ClientErrorCode =
  | "aborted"
  | "api_error"
  | "claim_check_failed"
  | "claim_unsettled"
  | "claim_unverified"
  | "connection_failed"
  | "hand_over_check_failed"
  | "invalid_argument"
  | "invalid_response"
  | "launch_check_failed"
  | "nonce_refused"
  | "not_approved"
  | "over_limit"
  | "receipt_mismatch"
  | "response_encoded"
  | "response_too_large"
  | "rpc_failed"
  | "signer_failed"
  | "signer_required"
  | "timeout"
  | "webhook_refused";

/** Any text, because a newer server may have more codes. Editors still suggest the known ones. */
type NewerCode = string & Record<never, never>;

/** The code of an {@link ApiError}. */
export type ApiErrorCode = ServerErrorCode | "api_error" | NewerCode;

/**
 * The code of a {@link TokenctlError}: stable and snake_case.
 *
 * @example
 * import type { ServerErrorCode, TokenctlErrorCode } from "@tokenctl/sdk";
 *
 * const waiting: readonly ServerErrorCode[] = ["agent_launch_limit", "daily_budget_spent"];
 * const isForTomorrow = (code: TokenctlErrorCode) => waiting.some((known) => known === code);
 * console.log(isForTomorrow("daily_budget_spent")); // true
 */
export type TokenctlErrorCode = ApiErrorCode | ClientErrorCode;
