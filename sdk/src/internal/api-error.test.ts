import { describe, expect, test } from "bun:test";
import { errorCodes, isErrorCode, tickerExists } from "@tokenctl/shared/error-codes";
import { toApiError } from "./api-error.ts";

const bare = { requestId: null, retryAfter: null };

describe("toApiError", () => {
  test.each(Object.keys(errorCodes).filter(isErrorCode))(
    "advises what the code %s needs",
    (code) => {
      const { status, text, next } = errorCodes[code];
      const error = toApiError({ status, body: { error: text, code }, ...bare });
      expect(error).toMatchObject({ status, code, text, message: text, isFromGateway: false });
      expect(error.hint).toBe(
        /insufficient_sol|unaffordable/.test(code) ? "Send SOL to the wallet" : next,
      );
    },
  );

  test.each(["Not yet thought of", "constructor"])(
    "keeps a code %s that it does not know",
    (code) => {
      const error = toApiError({ status: 409, body: { error: "Why", code }, ...bare });
      expect(error).toMatchObject({ code, hint: undefined });
    },
  );

  test("takes no code from the text of an answer", () => {
    const error = toApiError({ status: 409, body: { error: tickerExists("WIF") }, ...bare });
    expect(error).toMatchObject({ status: 409, code: "api_error" });
  });

  test("takes the server's own advice rather than ours", () => {
    const body = { error: "Launch cannot be retried", message: "It is pending." };
    const error = toApiError({ status: 409, body, ...bare });
    expect(error).toMatchObject({ explanation: "It is pending.", hint: "It is pending." });
  });

  test("says that a gateway answered if an answer is not of the API", () => {
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
        code: "api_error",
        text: "HTTP 502",
        isFromGateway: true,
      });
    }
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
    expect(error).toMatchObject({
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

  test.each([{}, { balanceSOL: 0 }, { requiredSOL: 1 }, { requiredSOL: 1, balanceSOL: 1 }])(
    "does not get how much from %j",
    (figures) => {
      expect(short(figures, wallet)).toMatchObject({ ...figures, hint: `Send SOL to ${wallet}` });
    },
  );

  test("has no name if the call was made without one", () => {
    const error = short({ requiredSOL: 1e300, balanceSOL: 0 });
    expect(error).not.toHaveProperty("wallet");
    expect(error.hint).toMatch(/^Send at least 1\d{300} SOL to the wallet$/);
  });
});

test.each([
  ["pending", "waitForLaunch or signLaunch continues it, cancelLaunch drops it"],
  ["success", "launchStatus shows its token"],
  ["failed", "retryLaunch retries it"],
  ["rate_limited", "retryLaunch retries it"],
])(
  "a ticker of the agent's own launch that is %s advises what that launch allows",
  (status, next) => {
    const eventId = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
    const body = { error: tickerExists("WIF"), code: "ticker_taken", eventId, status };
    const { hint } = toApiError({ status: 409, body, ...bare });
    expect(hint).toBe(`It is your own launch ${eventId}, which is ${status}: ${next}`);
  },
);

test("Retry-After counts in seconds", () => {
  const asked = (retryAfter: string | null) =>
    toApiError({ status: 503, body: undefined, requestId: null, retryAfter }).retryAfterSeconds;
  expect(asked("12")).toBe(12);
  for (const nonsense of [null, "", "-1", "1.5e3", "soon"]) expect(asked(nonsense)).toBeNull();
});
