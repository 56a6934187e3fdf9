import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import type { ApiFailure, FailureBody } from "../api-errors.ts";
import {
  ApiError,
  AuthenticationError,
  ChainRefusedError,
  ConflictError,
  EventsGoneError,
  ForbiddenError,
  InsufficientSolError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  TickerTakenError,
  ValidationError,
} from "../api-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { errorBody } from "./answers.ts";

/** One HTTP answer, read to its end. */
export interface HttpAnswer {
  readonly status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** What to do next, by a code that follows from the status alone. */
const hints: Readonly<Record<string, string>> = {
  unauthorized: "Sign in again; a token lasts 15 minutes",
  chain_refused:
    "Check that the wallet has SOL for the network fee and that the token has fees to claim",
  bad_gateway: "The server behind the gateway is away: try again in a minute",
  service_unavailable: "Try again in a minute; the health endpoint says what is down",
  server_error: "Try again; if it stays, give the request id to the server's operator",
  redirected: "Give the client the address that the server redirects to",
};

/**
 * Makes the error for an answer outside 2xx. Its class follows the status; its code is the server's
 * own, if the answer has one.
 *
 * @param wallet the wallet that the call was made for, base58
 */
export function toApiError(answer: HttpAnswer, wallet?: string): ApiError {
  const isFromGateway = errorBody.check(answer.body) !== null;
  const body: FailureBody = isFromGateway
    ? { error: `HTTP ${answer.status}` }
    : (answer.body as FailureBody);
  const failure: ApiFailure = {
    status: answer.status,
    body,
    requestId: answer.requestId,
    retryAfterSeconds: parseRetryAfter(answer.retryAfter),
    isFromGateway,
    wallet,
  };
  const code = body.code ?? codeOf(answer.status, isFromGateway);
  if (answer.status === 409 && code === "insufficient_sol") {
    return new InsufficientSolError(code, failure);
  }
  if (answer.status === 409 && code === "ticker_taken") return new TickerTakenError(code, failure);
  return new (classOf(answer.status, isFromGateway))(code, failure, body.message ?? hintFor(code));
}

function hintFor(code: string): string | undefined {
  if (isErrorCode(code)) return errorCodes[code].next;
  return Object.hasOwn(hints, code) ? hints[code] : undefined;
}

/**
 * The code of an answer that brings none. A gateway's 502 says nothing about the chain, so its code
 * is not that of the service's own 502.
 */
function codeOf(status: number, isFromGateway: boolean): ApiErrorCode {
  if (status < 400) return "redirected";
  const known: Readonly<Record<number, ApiErrorCode>> = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    429: "too_many_requests",
    502: isFromGateway ? "bad_gateway" : "chain_refused",
    503: "service_unavailable",
  };
  return known[status] ?? (status >= 500 ? "server_error" : "api_error");
}

function classOf(status: number, isFromGateway: boolean): typeof ApiError {
  const known: Readonly<Record<number, typeof ApiError>> = {
    400: ValidationError,
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: EventsGoneError,
    429: RateLimitError,
    502: isFromGateway ? ServerError : ChainRefusedError,
    503: ServiceUnavailableError,
  };
  return known[status] ?? (status >= 500 ? ServerError : ApiError);
}

/**
 * Reads a `Retry-After` header, which holds seconds or an HTTP date.
 *
 * @param now milliseconds since the epoch; only a date needs it
 * @returns seconds, 0 or more, for example 30; null if there is none or it cannot be read
 */
export function parseRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  // An HTTP date begins with a weekday. `Date.parse` reads even `-1` as a date.
  const date = /^[A-Za-z]{3,9}[, ]/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}
