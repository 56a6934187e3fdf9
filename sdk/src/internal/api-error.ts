import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import * as errors from "../api-error.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { errorBody } from "./answers.ts";

export interface HttpAnswer {
  readonly status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

export function toApiError(
  { status, body: given, requestId, retryAfter }: HttpAnswer,
  wallet?: string,
): errors.ApiError {
  const isFromGateway = errorBody.check(given) !== null;
  const body = isFromGateway ? { error: `HTTP ${status}` } : (given as errors.FailureBody);
  const code = body.code ?? "api_error";
  const retryAfterSeconds = /^\d{1,9}$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
  const answer = { status, body, requestId, retryAfterSeconds, isFromGateway };
  const Class = CLASSES.get(status) ?? errors.ApiError;
  if (ABOUT_FUNDS.includes(code)) {
    const hint = `Send ${missingSol(body)} to ${wallet ?? "the wallet"}`;
    return new Class(code, { ...answer, ...(wallet !== undefined && { wallet }) }, hint);
  }
  return new Class(code, answer, body.message ?? hintOf(code, body, isFromGateway));
}

const CLASSES = new Map([
  [400, errors.ValidationError],
  [401, errors.AuthenticationError],
  [403, errors.ForbiddenError],
  [404, errors.NotFoundError],
  [409, errors.ConflictError],
  [429, errors.RateLimitError],
  [503, errors.ServiceUnavailableError],
]);

const ABOUT_FUNDS = ["insufficient_sol", "hand_over_unaffordable", "launch_unaffordable"];

/** Returns for example `at least 0.002 SOL`, or `SOL` if the amount is not known. */
function missingSol({ requiredSOL = 0, balanceSOL = requiredSOL }: errors.FailureBody): string {
  if (requiredSOL <= balanceSOL) return "SOL";
  return `at least ${formatSol(solToLamports(requiredSOL) - solToLamports(balanceSOL))} SOL`;
}

function hintOf(code: ApiErrorCode, body: errors.FailureBody, isFromGateway: boolean) {
  const own = code === "ticker_taken" ? errors.ownLaunch(body) : null;
  if (own) {
    const { eventId, launchStatus: status } = own;
    const ended = status === "success" ? "launchStatus shows its token" : "retryLaunch retries it";
    const next = "waitForLaunch or signLaunch continues it, cancelLaunch drops it";
    return `It is your own launch ${eventId}, which is ${status}: ${status === "pending" ? next : ended}`;
  }
  if (isErrorCode(code)) return errorCodes[code].next;
  return isFromGateway ? "Check apiUrl, or try again in a minute" : undefined;
}
