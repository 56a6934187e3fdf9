import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { ServiceError } from "../base/service-error.ts";
import { listen } from "../testing/listen.ts";
import { testApp } from "../testing/test-app.ts";

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
  test.each(Object.keys(errorCodes).filter(isErrorCode))(
    "with the code %s has the status and the text of the table",
    async (code) => {
      const { status, text } = errorCodes[code];
      const details = [{ field: "ticker", message: "is required" }];
      // A code with a varying text takes it from the error.
      const fault = new ServiceError(code as "sandbox_refused", {
        text: text.replace(/<.+>/, "that"),
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
        error: text.replace(/<.+>/, "that"),
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

  test("an internal one adds the request's id", async () => {
    const fault = new ServiceError("register_failed", { cause: "hush" });
    const { response, body, requestId } = await failing(fault);
    expect(response.status).toBe(500);
    expect(body).toEqual({
      error: "Failed to register launch",
      code: "register_failed",
      message: `Request id ${requestId}`,
    });
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

describe("an outage", () => {
  test("a closed database is reported by a 503 with the fields of a health report", async () => {
    using broken = await testApp();
    await broken.store.close();
    const response = await broken.app.handle(new Request("http://localhost/health"));
    expect(response.status).toBe(503);
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(await response.json()).toMatchObject({
      ok: false,
      db: "disconnected",
      code: "unhealthy",
      error: "The service cannot do its work",
    });
  });
});
