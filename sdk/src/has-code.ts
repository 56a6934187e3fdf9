import type { ApiError } from "./api-error.ts";
import type * as claim from "./claim-errors.ts";
import type { ClientErrorCode, ServerErrorCode } from "./error-codes.ts";
import * as errors from "./errors.ts";

/** The classes of codes whose errors have fields of their own; others are of their base class. */
interface Classes {
  aborted: errors.AbortError;
  api_error: ApiError;
  claim_check_failed: claim.CheckError;
  claim_unsettled: claim.ClaimUnsettledError | ApiError;
  claim_unverified: claim.ClaimReceiptError;
  connection_failed: errors.ConnectionError;
  hand_over_check_failed: claim.CheckError;
  hand_over_unsettled: claim.HandOverUnsettledError | ApiError;
  invalid_response: errors.InvalidResponseError;
  launch_check_failed: claim.CheckError;
  over_limit: claim.OverLimitError;
  receipt_mismatch: claim.ClaimReceiptError;
  response_encoded: errors.InvalidResponseError;
  response_too_large: errors.InvalidResponseError;
  rpc_failed: errors.RpcError;
  timeout: errors.TimeoutError;
}

/** The error that has a code, for example an `OverLimitError`. */
export type ErrorOf<Code extends ServerErrorCode | ClientErrorCode> = Code extends keyof Classes
  ? Classes[Code]
  : Code extends ServerErrorCode
    ? ApiError
    : errors.TokenctlError;

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
