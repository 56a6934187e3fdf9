import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { Elysia } from "elysia";
import pino from "pino";
import { ServiceError } from "../base/service-error.ts";
import { listen } from "../testing/listen.ts";
import { testApp } from "../testing/test-app.ts";
import { type AnsweredRequest, accessLog, requestsPlugin } from "./requests.ts";

const REQUEST: AnsweredRequest = {
  requestId: "11111111-2222-4333-8444-555555555555",
  method: "GET",
  route: "/api/v1/tokens/",
  status: 200,
  duration: 1.23456,
  wallet: "wallet",
  eventId: null,
  fault: null,
};

function lines(request: Partial<AnsweredRequest>): Record<string, unknown>[] {
  const written: string[] = [];
  const log = pino(
    { level: "trace", base: null, timestamp: false },
    { write: (line) => written.push(line) },
  );
  accessLog(log)({ ...REQUEST, ...request });
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line names the request, its agent, its launch and its status", () => {
  const eventId = "99999999-2222-4333-8444-555555555555";
  expect(lines({ method: "POST", route: "/api/v1/tokens/launch/", eventId })).toEqual([
    {
      level: pino.levels.values.info,
      requestId: REQUEST.requestId,
      method: "POST",
      route: "/api/v1/tokens/launch/",
      status: 200,
      ms: 1.235,
      wallet: "wallet",
      eventId,
      msg: "request",
    },
  ]);
});

test.each([
  ["debug", "GET", 200],
  ["debug", "GET", 404],
  ["info", "POST", 200],
  ["info", "POST", 409],
  ["warn", "GET", 401],
  ["warn", "POST", 429],
  ["warn", "POST", 502],
  ["warn", "GET", 503],
  ["error", "POST", 500],
])("the level is %s for a %s with status %d", (level, method, status) => {
  expect(lines({ method, status })[0]?.level).toBe(pino.levels.values[level]);
});

test("a failed health check is logged at debug", () => {
  expect(lines({ route: "/health", status: 503 })[0]?.level).toBe(pino.levels.values.debug);
});

test("the cause is logged if the server is at fault, and otherwise not", () => {
  const fault = new Error("the disk is full");
  expect(lines({ status: 500, fault })[0]).toHaveProperty("err");
  expect(lines({ status: 404, fault })[0]).not.toHaveProperty("err");
});

test.each([true, false])(
  "the duration of a request is the time that it took, failed: %p",
  async (fails) => {
    const seen: AnsweredRequest[] = [];
    const work = Promise.withResolvers<number>();
    const release = Promise.withResolvers<void>();
    const app = new Elysia()
      .use(
        requestsPlugin(
          [(request) => seen.push(request)],
          { corsOrigins: [], hosts: null },
          () => [],
        ),
      )
      .get("/", async () => {
        work.resolve(performance.now());
        await release.promise;
        if (fails) throw new Error("boom");
        return "done";
      });
    const sent = performance.now();
    const answer = app.handle(new Request("http://localhost/"));
    const began = await work.promise;
    const waited = performance.now();
    release.resolve();
    await answer;
    const outside = performance.now() - sent;
    expect(seen).toHaveLength(1);
    const duration = seen[0]?.duration ?? Number.NaN;
    expect(duration).toBeGreaterThanOrEqual(waited - began);
    expect(duration).toBeLessThanOrEqual(outside);
  },
);

const app = await testApp();
const server = listen(app.app, { hostname: "127.0.0.1", port: 0 });
afterEach(() => {
  app.chain.readFees = async () => [];
});
afterAll(async () => {
  await server.stop(true);
  app[Symbol.dispose]();
});

/** Returns the answer to a request whose handler throws this fault. */
async function failing(fault: unknown) {
  app.chain.readFees = () => Promise.reject(fault);
  const authorization = `Bearer ${await app.bearerTokens.issue("agent")}`;
  const response = await fetch(`${server.url}api/v1/tokens/claims`, { headers: { authorization } });
  const requestId = response.headers.get("x-request-id") ?? "";
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  return { response, requestId, body: await response.json() };
}

describe("a ServiceError", () => {
  test.each(["sandbox_refused", "database_unavailable", "register_failed"] as const)(
    "with the code %s has its details, and its advice unless it is a 500",
    async (code) => {
      const { status } = errorCodes[code];
      const details = [{ field: "ticker", message: "is required" }];
      // Only the first takes its text from the error.
      const fault = new ServiceError(code as "sandbox_refused", {
        text: errorCodes[code].text,
        details,
        advice: "What to do",
        retryAfterSeconds: 7,
        cause: new Error("hush"),
      });
      const { response, body, requestId } = await failing(fault);
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toStartWith("application/json");
      expect(response.headers.get("retry-after")).toBe("7");
      expect(body).toEqual({
        error: errorCodes[code].text,
        code,
        details,
        message: status === 500 ? `Request id ${requestId}` : "What to do",
      });
    },
  );

  test("a field that it does not have is not in the answer", async () => {
    const { response, body } = await failing(new ServiceError("no_fees_to_claim"));
    expect(body).toEqual({ error: "No fees to claim", code: "no_fees_to_claim" });
    expect(response.headers.get("retry-after")).toBeNull();
  });

  test("without a code of the table, or without a text that the table leaves open, does not compile", () => {
    // @ts-expect-error
    void (() => new ServiceError());
    // @ts-expect-error
    void (() => new ServiceError("some_reason"));
    // @ts-expect-error
    void (() => new ServiceError("chain_unavailable"));
    // @ts-expect-error
    void (() => new ServiceError("no_fees_to_claim", { text: "Another text" }));
  });
});

describe("an unexpected error", () => {
  const SECRET = "https://rpc.example.com/?api-key=hush";

  test.each<[string, unknown]>([
    ["an error", new TypeError(SECRET)],
    ["an error with a status", Object.assign(new Error(SECRET), { status: 418 })],
    ["an error that says NOT_FOUND", Object.assign(new Error(SECRET), { code: "NOT_FOUND" })],
    ["an error that says VALIDATION", Object.assign(new Error(SECRET), { code: "VALIDATION" })],
    ["an error that says PARSE", Object.assign(new Error(SECRET), { code: "PARSE" })],
    [
      "an error with its own toResponse",
      Object.assign(new Error(SECRET), { toResponse: () => new Response(SECRET) }),
    ],
    ["a text", SECRET],
    ["an object", { message: SECRET, error: SECRET, status: 200 }],
  ])("%s gets a plain 500 with nothing but the request's id", async (_, fault) => {
    const { response, body, requestId } = await failing(fault);
    expect(response.status).toBe(500);
    expect(body).toEqual({
      error: "Internal server error",
      code: "internal_error",
      message: `Request id ${requestId}`,
    });
    expect([...response.headers].join()).not.toContain("hush");
  });

  test("each request has its own id", async () => {
    const first = await failing(new Error("boom"));
    const second = await failing(new Error("boom"));
    expect(first.requestId).not.toBe(second.requestId);
  });
});
