import { errorTexts } from "@tokenctl/shared/errors";
import type { ErrorBody } from "@tokenctl/shared/types";
import type { ApiFailure } from "../api-errors.ts";
import {
  ApiError,
  AuthenticationError,
  ChainRefusedError,
  ConflictError,
  InsufficientSolError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  ValidationError,
} from "../api-errors.ts";
import { answers } from "./answers.ts";
import type { HttpAnswer } from "./transport.ts";

/** Codes of the errors whose text says more than their status. */
const codes: Readonly<Record<string, string>> = {
  [errorTexts.validationFailed]: "validation_failed",
  [errorTexts.invalidNonce]: "invalid_nonce",
  [errorTexts.invalidSignature]: "invalid_signature",
  [errorTexts.launchNotFound]: "launch_not_found",
  [errorTexts.tokenNotFound]: "token_not_found",
  [errorTexts.noFees]: "no_fees_to_claim",
  [errorTexts.claimMismatch]: "claim_mismatch",
  [errorTexts.claimUnsigned]: "claim_unsigned",
  [errorTexts.claimExpired]: "claim_expired",
  [errorTexts.idempotencyMismatch]: "idempotency_mismatch",
  [errorTexts.notRetryable]: "not_retryable",
};

/** What to do next, by code, if the server does not say. */
const hints: Readonly<Record<string, string>> = {
  validation_failed: "Correct the fields named and send it again",
  ticker_taken: "Choose another ticker: it is unique across all launches",
  unauthorized: "Sign in again; a token lasts 15 minutes",
  invalid_nonce: "Ask for a new challenge: each can be used once, within five minutes",
  invalid_signature: "Check that the signer's key is that of the wallet it names",
  launch_not_found: "Check the event id, and that this wallet made the launch",
  token_not_found: "Check the mint address, and that this wallet launched the token",
  no_fees_to_claim: "Fees come from trades: read the claimable fees first",
  claim_expired: "Prepare the claim again and sign the new transaction",
  claim_mismatch: "Sign and send exactly the transaction that the last prepared claim gave",
  claim_unsigned: "Have the agent's own wallet sign the transaction that prepareClaim gave",
  idempotency_mismatch: "Use a new idempotency key for a new launch",
  too_many_requests: "Wait before the next request",
  chain_refused:
    "Check that the wallet has SOL for the network fee and that the token has fees to claim",
  bad_gateway: "The server behind the gateway is away: try again in a minute",
  service_unavailable: "Try again in a minute; the health endpoint says what is down",
  server_error: "Try again; if it stays, give the request id to the server's operator",
  redirected: "Give the client the address that the server redirects to",
};

/**
 * Makes the error for an answer outside 2xx. Its class follows the status.
 *
 * @param wallet the wallet that the call was made for, base58
 */
export function toApiError(answer: HttpAnswer, wallet?: string): ApiError {
  const fromService = answers.error.check(answer.body) === null;
  const body = fromService ? (answer.body as ErrorBody) : { error: `HTTP ${answer.status}` };
  const failure: ApiFailure = {
    status: answer.status,
    body,
    requestId: answer.requestId,
    retryAfterSeconds: parseRetryAfter(answer.retryAfter),
    wallet,
  };
  const code = body.code ?? codes[body.error] ?? codeOf(answer.status, body.error, fromService);
  if (answer.status === 409 && code === "insufficient_sol") {
    return new InsufficientSolError(code, failure);
  }
  return new (classOf(answer.status, fromService))(code, failure, body.message ?? hints[code]);
}

/**
 * A gateway's 502 says nothing about the chain, so its code is not that of the service's own 502.
 */
function codeOf(status: number, text: string, fromService: boolean): string {
  if (status === 409) return /^Ticker \S+ already exists$/.test(text) ? "ticker_taken" : "conflict";
  if (status === 502) return fromService ? "chain_refused" : "bad_gateway";
  const known: Readonly<Record<number, string>> = {
    400: "bad_request",
    401: "unauthorized",
    404: "not_found",
    429: "too_many_requests",
    503: "service_unavailable",
  };
  if (status < 400) return "redirected";
  return known[status] ?? (status >= 500 ? "server_error" : "api_error");
}

function classOf(status: number, fromService: boolean): typeof ApiError {
  const known: Readonly<Record<number, typeof ApiError>> = {
    400: ValidationError,
    401: AuthenticationError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
    502: fromService ? ChainRefusedError : ServerError,
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
