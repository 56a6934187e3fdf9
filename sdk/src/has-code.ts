import type { CodesOf, ErrorStatus } from "@tokenctl/shared/error-codes";
import type * as api from "./api-errors.ts";
import type * as claim from "./claim-errors.ts";
import type { ClientErrorCode, ServerErrorCode } from "./error-codes.ts";
import * as errors from "./errors.ts";

/** Codes of errors that the client itself finds, and of answers with their own class. */
interface OwnClasses extends Record<ClientErrorCode, errors.TokenctlError> {
  aborted: errors.AbortError;
  claim_check_failed: claim.CheckError;
  claim_unsettled: claim.ClaimUnsettledError | api.ServiceUnavailableError;
  claim_unverified: claim.ClaimUnverifiedError;
  connection_failed: errors.ConnectionError;
  hand_over_check_failed: claim.CheckError;
  hand_over_unaffordable: api.InsufficientSolError;
  hand_over_unsettled: claim.HandOverUnsettledError | api.ServiceUnavailableError;
  insufficient_sol: api.InsufficientSolError;
  invalid_response: errors.InvalidResponseError;
  launch_check_failed: claim.CheckError;
  launch_unaffordable: api.InsufficientSolError;
  nonce_refused: errors.NonceError;
  over_limit: claim.OverLimitError;
  receipt_mismatch: claim.ClaimReceiptError;
  response_encoded: errors.InvalidResponseError;
  response_too_large: errors.InvalidResponseError;
  rpc_failed: errors.RpcError;
  ticker_taken: api.TickerTakenError;
  timeout: errors.TimeoutError;
}

/** The class of an answer by its status, if its fields are more than those of `ApiError`. */
interface ByStatus extends Record<ErrorStatus, api.ApiError> {
  410: api.EventsGoneError;
}

type StatusOf<Code> = {
  [Status in ErrorStatus]: Code extends CodesOf<Status> ? Status : never;
}[ErrorStatus];

/** The error that has a code, for example a `TickerTakenError`. */
export type ErrorOf<Code extends ServerErrorCode | ClientErrorCode> = Code extends keyof OwnClasses
  ? OwnClasses[Code]
  : ByStatus[StatusOf<Code>];

/**
 * Tells errors apart by their code: the compiler then knows the fields of the error.
 *
 * @example
 * import { hasCode } from "@tokenctl/sdk";
 *
 * if (hasCode(error, "ticker_taken")) console.error(error.launchStatus);
 * if (hasCode(error, "over_limit")) console.error(error.neededLamports);
 */
export function hasCode<Code extends ServerErrorCode | ClientErrorCode>(
  error: unknown,
  code: Code,
): error is ErrorOf<Code> {
  return error instanceof errors.TokenctlError && error.code === code;
}
