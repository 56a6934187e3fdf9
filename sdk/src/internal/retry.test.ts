import { describe, expect, test } from "bun:test";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { AbortError, ConnectionError, TimeoutError } from "../errors.ts";
import { toApiError } from "./api-error.ts";
import type { Repeat } from "./retry.ts";
import { isTemporary, retryDelay, withRetries } from "./retry.ts";

const answered = (status: number, retryAfter: string | null = null) =>
  toApiError({ status, body: { error: "No" }, requestId: null, retryAfter });
const byGateway = (status: number) =>
  toApiError({ status, body: undefined, requestId: null, retryAfter: null });

describe("a failed request", () => {
  const unreachable = new ConnectionError("http://x", new Error("reset"));
  const late = new TimeoutError("late", { timeoutMs: 1 });
  const table: [string, Error, Repeat[]][] = [
    ["a lost connection", unreachable, ["read", "repeatable"]],
    ["a timeout", late, ["read", "repeatable"]],
    ["408", answered(408), ["read", "repeatable"]],
    ["429", answered(429), ["read", "repeatable", "refused"]],
    ["429 of a gateway", byGateway(429), ["read", "repeatable", "refused"]],
    ["500", answered(500), ["read"]],
    ["500 of a gateway", byGateway(500), ["read"]],
    ["502: the chain refused", answered(502), []],
    ["502 of a gateway", byGateway(502), ["read", "repeatable"]],
    ["503", answered(503), ["read", "repeatable", "refused"]],
    ["503 of a gateway", byGateway(503), ["read", "repeatable"]],
    ["504", answered(504), ["read", "repeatable"]],
    ["520 of a gateway", byGateway(520), ["read", "repeatable"]],
    ["520", answered(520), []],
    ["400", answered(400), []],
    ["401", answered(401), []],
    ["404", answered(404), []],
    ["409", answered(409), []],
    ["400 of a gateway", byGateway(400), []],
    ["302", answered(302), []],
    ["an abort", new AbortError(), []],
    ["a fault of the program", new TypeError(), []],
  ];
  for (const [name, error, repeats] of table) {
    test(`is sent again after ${name} if it is ${repeats.join(" or ") || "nothing: it never is"}`, () => {
      const kinds: Repeat[] = ["read", "repeatable", "refused", "never"];
      expect(kinds.filter((kind) => isTemporary(error, kind))).toEqual(repeats);
    });
  }
});

describe("the delay before a retry", () => {
  const failure = new ConnectionError("http://x", null);
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 6, 60].map((retry) => retryDelay(failure, retry, () => random));

  test("is random below a ceiling that doubles up to eight seconds", () => {
    expect(delays(1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(delays(0)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(delays(0.5)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  test("is never shorter than Retry-After, and there is no retry after more than a minute", () => {
    expect(retryDelay(answered(429, "7"), 1, () => 0)).toBe(7_000);
    expect(retryDelay(answered(503, "7"), 9, () => 1)).toBe(7_500);
    expect(retryDelay(answered(429, "0"), 9, () => 0)).toBe(0);
    expect(retryDelay(answered(429, "60"), 1, () => 0)).toBe(60_000);
    expect(retryDelay(answered(429, "61"), 1, () => 0)).toBeNull();
    expect(retryDelay(answered(429, "soon"), 1, () => 0.5)).toBe(250);
  });
});

describe("withRetries", () => {
  const failing = (...errors: Error[]) => {
    let made = 0;
    const attempt = async () => {
      const error = errors[made++];
      if (error) throw error;
      return "done";
    };
    return { attempt, made: () => made };
  };
  const now = answered(503, "0");

  test("makes attempts until one succeeds", async () => {
    const { attempt, made } = failing(now, now);
    const notices: unknown[] = [];
    const policy = {
      maxRetries: 3,
      onRetry: ({ error, retry }: { error: Error; retry: number }) => notices.push([error, retry]),
    };
    expect(await withRetries(attempt, "read", policy)).toBe("done");
    expect(made()).toBe(3);
    expect(notices).toEqual([
      [now, 1],
      [now, 2],
    ]);
  });

  test("stops waiting when the signal fires", async () => {
    const abort = new AbortController();
    const { attempt, made } = failing(answered(503, "59"));
    const policy = { maxRetries: 3, onRetry: () => abort.abort("enough") };
    const outcome = withRetries(attempt, "read", { ...policy, signal: abort.signal });
    const error = await outcome.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ name: "AbortError", code: "aborted", cause: "enough" });
    expect(made()).toBe(1);
  });
});

test("the policy and the table of codes agree which answers are final", () => {
  for (const [code, { status, text, repeat }] of Object.entries(errorCodes)) {
    const body = { error: text, code };
    const error = toApiError({ status, body, requestId: null, retryAfter: null });
    // A request that is repeated after a 500 is a read.
    expect([code, isTemporary(error, "read")]).toEqual([
      code,
      repeat === "yes" || repeat === "idempotent",
    ]);
    expect([code, isTemporary(error, "repeatable")]).toEqual([code, repeat === "yes"]);
  }
});
