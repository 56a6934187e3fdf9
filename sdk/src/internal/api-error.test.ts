import { describe, expect, test } from "bun:test";
import { errorTexts, tickerExists } from "@tokenctl/shared/errors";
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
import { parseRetryAfter, toApiError } from "./api-error.ts";

const of = (status: number, text: string) =>
  toApiError({ status, body: { error: text }, requestId: null, retryAfter: null });

/** Every text of the contract: the status it comes with, its class and its code. */
const table: [number, string, typeof ApiError, string][] = [
  [400, errorTexts.validationFailed, ValidationError, "validation_failed"],
  [400, errorTexts.mintRequired, ValidationError, "bad_request"],
  [400, errorTexts.claimMismatch, ValidationError, "claim_mismatch"],
  [400, errorTexts.claimUnsigned, ValidationError, "claim_unsigned"],
  [401, errorTexts.missingAuthorization, AuthenticationError, "unauthorized"],
  [401, errorTexts.invalidToken, AuthenticationError, "unauthorized"],
  [401, errorTexts.invalidNonce, AuthenticationError, "invalid_nonce"],
  [401, errorTexts.invalidSignature, AuthenticationError, "invalid_signature"],
  [404, errorTexts.launchNotFound, NotFoundError, "launch_not_found"],
  [404, errorTexts.tokenNotFound, NotFoundError, "token_not_found"],
  [404, errorTexts.notFound, NotFoundError, "not_found"],
  [405, "Method Not Allowed", ApiError, "api_error"],
  [409, tickerExists("WIF"), ConflictError, "ticker_taken"],
  [409, errorTexts.noFees, ConflictError, "no_fees_to_claim"],
  [409, errorTexts.claimExpired, ConflictError, "claim_expired"],
  [409, errorTexts.idempotencyMismatch, ConflictError, "idempotency_mismatch"],
  [409, errorTexts.notRetryable, ConflictError, "not_retryable"],
  [409, "Something new", ConflictError, "conflict"],
  [413, errorTexts.bodyTooLarge, ApiError, "api_error"],
  [415, errorTexts.unsupportedMediaType, ApiError, "api_error"],
  [429, errorTexts.rateLimited, RateLimitError, "too_many_requests"],
  [500, errorTexts.registerFailed, ServerError, "server_error"],
  [500, errorTexts.internal, ServerError, "server_error"],
  [502, "The claim cannot be built", ChainRefusedError, "chain_refused"],
  [503, errorTexts.queueFull, ServiceUnavailableError, "service_unavailable"],
];

describe("toApiError", () => {
  test("takes the server's own code rather than the one of its text", () => {
    const body = { error: errorTexts.noFees, code: "some_reason" };
    const error = toApiError({ status: 409, body, requestId: null, retryAfter: null });
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.code).toBe("some_reason");
  });

  for (const [status, text, type, code] of table) {
    test(`knows the class and code of ${status} ${text}`, () => {
      const error = of(status, text);
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ name: type.name, status, code, text, message: text });
      const saysAllItself = ["api_error", "bad_request", "not_found", "conflict", "not_retryable"];
      expect(error.hint === undefined).toBe(saysAllItself.includes(code));
    });
  }

  test("takes the server's own advice rather than ours", () => {
    const body = { error: "Launch cannot be retried", message: "It is pending." };
    const error = toApiError({ status: 409, body, requestId: null, retryAfter: null });
    expect(error).toMatchObject({ explanation: "It is pending.", hint: "It is pending." });
  });

  test("goes by the status if an answer is not of the API", () => {
    for (const body of [
      undefined,
      null,
      "Bad Gateway",
      {},
      { error: 1 },
      { error: "x", details: 1 },
    ]) {
      const error = toApiError({ status: 502, body, requestId: null, retryAfter: null });
      expect(error).toMatchObject({ name: "ServerError", code: "bad_gateway", text: "HTTP 502" });
    }
  });

  test("calls a redirect redirected", () => {
    const error = toApiError({ status: 308, body: undefined, requestId: null, retryAfter: null });
    expect(error).toMatchObject({ code: "redirected", status: 308 });
    expect(error.hint).toContain("redirects to");
  });
});

describe("a wallet with too little SOL", () => {
  const wallet = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
  const short = (more: object, to?: string) => {
    const body = { error: "Too little SOL", code: "insufficient_sol", ...more };
    return toApiError({ status: 409, body, requestId: "r-1", retryAfter: null }, to);
  };

  test("gets how much to send to itself, even if the server advises otherwise", () => {
    const figures = { requiredSOL: 0.002049281, balanceSOL: 0.001 };
    const error = short({ ...figures, message: "Send 5 SOL to the moon" }, wallet);
    expect(error).toBeInstanceOf(InsufficientSolError);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({
      ...{ name: "InsufficientSolError", code: "insufficient_sol", status: 409, requestId: "r-1" },
      ...{ ...figures, wallet, text: "Too little SOL", explanation: "Send 5 SOL to the moon" },
      hint: `Send at least 0.001049281 SOL to ${wallet}`,
    });
  });

  test.each([
    [{}, null, null],
    [{ balanceSOL: 0 }, null, 0],
    [{ requiredSOL: 1 }, 1, null],
    [{ requiredSOL: 1, balanceSOL: 1 }, 1, 1],
  ])("does not get how much from %j", (figures, requiredSOL, balanceSOL) => {
    const error = short(figures, wallet);
    expect(error).toMatchObject({ requiredSOL, balanceSOL, hint: `Send SOL to ${wallet}` });
  });

  test("is meant only by a 409", () => {
    const body = { error: "Bad", code: "insufficient_sol" };
    const error = toApiError({ status: 400, body, requestId: null, retryAfter: null }, wallet);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.code).toBe("insufficient_sol");
  });

  test("has no name if the call was made without one", () => {
    const error = short({ requiredSOL: 1e300, balanceSOL: 0 });
    expect(error).toMatchObject({ wallet: null });
    expect(error.hint).toMatch(/^Send at least 1\d{300} SOL to the wallet$/);
  });
});

test("parseRetryAfter reads seconds and dates", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter("12", now)).toBe(12);
  expect(parseRetryAfter(" 0 ", now)).toBe(0);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30);
  expect(parseRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0);
  for (const nonsense of ["", "-1", "1.5e3", "soon"])
    expect(parseRetryAfter(nonsense, now)).toBeNull();
  expect(parseRetryAfter(null, now)).toBeNull();
});
