import type { ErrorCode } from "@tokenctl/shared/error-codes";

/**
 * A code that a tokend of this package's version puts into an error answer, for example
 * `ticker_taken`. `docs/errors.md` of the repository says what each means.
 */
export type ServerErrorCode = ErrorCode;

/** The code of an answer without one, of a gateway in front of the server. */
type StatusErrorCode =
  | "api_error"
  | "bad_gateway"
  | "bad_request"
  | "chain_refused"
  | "conflict"
  | "forbidden"
  | "not_found"
  | "redirected"
  | "server_error"
  | "service_unavailable"
  | "too_many_requests"
  | "unauthorized";

/** The code of an error that this package itself finds. */
type ClientErrorCode =
  | "aborted"
  | "claim_check_failed"
  | "claim_unsettled"
  | "claim_unverified"
  | "connection_failed"
  | "invalid_argument"
  | "invalid_response"
  | "nonce_refused"
  | "not_approved"
  | "receipt_mismatch"
  | "response_encoded"
  | "response_too_large"
  | "rpc_failed"
  | "signer_failed"
  | "signer_required"
  | "timeout";

/** Any other text: a newer server may have more codes. Editors still suggest those that are known. */
type NewerCode = string & Record<never, never>;

/**
 * The code of an {@link ApiError}: the server's own, or one that follows from the status alone if the
 * answer has none.
 */
export type ApiErrorCode = ServerErrorCode | StatusErrorCode | NewerCode;

/**
 * The code of a {@link TokenctlError}: stable and snake_case.
 *
 * @example
 * ```ts
 * import type { ServerErrorCode, TokenctlErrorCode } from "@tokenctl/sdk";
 *
 * const waiting: readonly ServerErrorCode[] = ["agent_launch_limit", "daily_budget_spent"];
 * const isForTomorrow = (code: TokenctlErrorCode) => waiting.some((known) => known === code);
 * console.log(isForTomorrow("daily_budget_spent")); // true
 * ```
 */
export type TokenctlErrorCode = ApiErrorCode | ClientErrorCode;
