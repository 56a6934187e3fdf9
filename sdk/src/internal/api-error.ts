import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { ApiError, type FailureBody, ownLaunch } from "../api-error.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { errorBody } from "./answers.ts";

export interface HttpAnswer {
  readonly status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** Makes the error for an answer outside 2xx. */
export function toApiError(
  { status, body: given, requestId, retryAfter }: HttpAnswer,
  wallet?: string,
): ApiError {
  const isFromGateway = errorBody.check(given) !== null;
  const body = isFromGateway ? { error: `HTTP ${status}` } : (given as FailureBody);
  const code = body.code ?? "api_error";
  const retryAfterSeconds = parseRetryAfter(retryAfter);
  const answer = { status, body, requestId, retryAfterSeconds, isFromGateway };
  if (ABOUT_FUNDS.includes(code)) {
    const hint = `Send ${missingSol(body)} to ${wallet ?? "the wallet"}`;
    return new ApiError(code, { ...answer, ...(wallet !== undefined && { wallet }) }, hint);
  }
  return new ApiError(code, answer, body.message ?? hintOf(code, body, isFromGateway));
}

const ABOUT_FUNDS = ["insufficient_sol", "hand_over_unaffordable", "launch_unaffordable"];

/** Returns for example `at least 0.002 SOL`, or `SOL` if the amount is not known. */
function missingSol({ requiredSOL, balanceSOL }: FailureBody): string {
  if (requiredSOL === undefined || balanceSOL === undefined || requiredSOL <= balanceSOL) {
    return "SOL";
  }
  return `at least ${formatSol(solToLamports(requiredSOL) - solToLamports(balanceSOL))} SOL`;
}

function hintOf(code: ApiErrorCode, body: FailureBody, isFromGateway: boolean) {
  const own = code === "ticker_taken" ? ownLaunch(body) : null;
  if (own) {
    const { eventId, launchStatus } = own;
    return `It is your own launch ${eventId}, which is ${launchStatus}: launchStatus, signLaunch, retryLaunch or cancelLaunch continues it`;
  }
  if (isErrorCode(code)) return errorCodes[code].next;
  return isFromGateway ? "Check apiUrl, or try again in a minute" : undefined;
}

function parseRetryAfter(header: string | null): number | null {
  return /^\d{1,9}$/.test(header ?? "") ? Number(header) : null;
}
