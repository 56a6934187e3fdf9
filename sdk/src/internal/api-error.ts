import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import * as errors from "../api-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { errorBody } from "./answers.ts";

export interface HttpAnswer {
  readonly status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** What to do next, keyed by the codes that `byStatus` gives. */
const hints = new Map(
  Object.entries({
    unauthorized: "Sign in again; a token lasts 15 minutes",
    chain_refused:
      "Check that the wallet has SOL for the network fee and that the token has fees to claim",
    bad_gateway: "The server behind the gateway does not answer: try again in a minute",
    service_unavailable: "Try again in a minute; the health endpoint says what is down",
    server_error: "Try again; if the error persists, give the request id to the server's operator",
    redirected: "Set apiUrl to the address that the server redirects to",
  }),
);

/** Makes the error for an answer outside 2xx. Its class follows from the status. */
export function toApiError(answer: HttpAnswer, wallet?: string): errors.ApiError {
  const isFromGateway = errorBody.check(answer.body) !== null;
  const body: errors.FailureBody = isFromGateway
    ? { error: `HTTP ${answer.status}` }
    : (answer.body as errors.FailureBody);
  const failure: errors.ApiFailure = {
    status: answer.status,
    body,
    requestId: answer.requestId,
    retryAfterSeconds: parseRetryAfter(answer.retryAfter),
    isFromGateway,
    wallet,
  };
  const [Class, ofStatus] = byStatus(answer.status, isFromGateway);
  const code = body.code ?? ofStatus;
  if (answer.status === 409) {
    if (ABOUT_FUNDS.includes(code)) return new errors.InsufficientSolError(code, failure);
    if (code === "ticker_taken") return new errors.TickerTakenError(code, failure);
  }
  const hint = isErrorCode(code) ? errorCodes[code].next : hints.get(code);
  return new Class(code, failure, body.message ?? hint);
}

const ABOUT_FUNDS = ["insufficient_sol", "hand_over_unaffordable", "launch_unaffordable"];

/** Returns the class, and a code if the answer has none. A gateway's 502 is not the chain's. */
function byStatus(
  status: number,
  isFromGateway: boolean,
): readonly [typeof errors.ApiError, ApiErrorCode] {
  const known: Readonly<Record<number, readonly [typeof errors.ApiError, ApiErrorCode]>> = {
    400: [errors.ValidationError, "bad_request"],
    401: [errors.AuthenticationError, "unauthorized"],
    403: [errors.ForbiddenError, "forbidden"],
    404: [errors.NotFoundError, "not_found"],
    409: [errors.ConflictError, "conflict"],
    410: [errors.EventsGoneError, "api_error"],
    429: [errors.RateLimitError, "too_many_requests"],
    502: isFromGateway
      ? [errors.ServerError, "bad_gateway"]
      : [errors.ChainRefusedError, "chain_refused"],
    503: [errors.ServiceUnavailableError, "service_unavailable"],
  };
  if (status < 400) return [errors.ApiError, "redirected"];
  return (
    known[status] ??
    (status >= 500 ? [errors.ServerError, "server_error"] : [errors.ApiError, "api_error"])
  );
}

/** @param header seconds or an HTTP date. @returns seconds; null if the header is neither */
export function parseRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  // An HTTP date begins with a weekday. `Date.parse` reads even `-1` as a date.
  const date = /^[A-Za-z]{3,9}[, ]/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}
