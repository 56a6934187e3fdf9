import { describe, expect, test } from "bun:test";
import { errorCodes, isErrorCode, tickerExists } from "@tokenctl/shared/error-codes";
import {
  ConflictError,
  InsufficientSolError,
  ServiceUnavailableError,
  ValidationError,
} from "../api-errors.ts";
import { parseRetryAfter, toApiError } from "./api-error.ts";

const bare = { requestId: null, retryAfter: null };

describe("toApiError", () => {
  test.each(Object.keys(errorCodes).filter(isErrorCode))(
    "advises what the code %s needs",
    (code) => {
      const { status, text, next } = errorCodes[code];
      const error = toApiError({ status, body: { error: text, code }, ...bare });
      expect(error).toMatchObject({ status, code, text, message: text, isFromGateway: false });
      if (!(error instanceof InsufficientSolError)) expect(error.hint).toBe(next);
    },
  );

  test.each([
    [409, "Not yet thought of", ConflictError],
    [503, "constructor", ServiceUnavailableError],
  ])("keeps a code of %d that it does not know", (status, code, type) => {
    const error = toApiError({ status, body: { error: "Why", code }, ...bare });
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, hint: undefined });
  });

  test("goes by the status if an answer has no code, whatever its text", () => {
    const error = toApiError({ status: 409, body: { error: tickerExists("WIF") }, ...bare });
    expect(error).toMatchObject({ name: "ConflictError", code: "conflict" });
  });

  test("takes the server's own advice rather than ours", () => {
    const body = { error: "Launch cannot be retried", message: "It is pending." };
    const error = toApiError({ status: 409, body, ...bare });
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
      const error = toApiError({ status: 502, body, ...bare });
      expect(error).toMatchObject({
        name: "ServerError",
        code: "bad_gateway",
        text: "HTTP 502",
        isFromGateway: true,
      });
    }
  });

  test("calls a redirect redirected", () => {
    const error = toApiError({ status: 308, body: undefined, ...bare });
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
      name: "InsufficientSolError",
      code: "insufficient_sol",
      status: 409,
      requestId: "r-1",
      ...figures,
      wallet,
      text: "Too little SOL",
      explanation: "Send 5 SOL to the moon",
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
    const error = toApiError({ status: 400, body, ...bare }, wallet);
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
