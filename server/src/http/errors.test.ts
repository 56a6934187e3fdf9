import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Server } from "bun";
import { ServiceError, type ServiceErrorCode } from "../base/service-error.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";
import { listen } from "./listen.ts";

let app: TestApp;
let server: Server<undefined>;
beforeAll(async () => {
  app = await testApp();
  server = listen(app.app, { hostname: "127.0.0.1", port: 0 });
});
afterEach(() => {
  app.chain.readFees = async () => [];
});
afterAll(async () => {
  await server.stop(true);
  app[Symbol.dispose]();
});

/** The answer to a request whose handling ends with this fault. */
async function failing(fault: unknown) {
  app.chain.readFees = () => Promise.reject(fault);
  const authorization = `Bearer ${await app.sessions.issue("agent")}`;
  const response = await fetch(`${server.url}api/v1/tokens/claims`, { headers: { authorization } });
  const requestId = response.headers.get("x-request-id") ?? "";
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  return { response, requestId, body: await response.json() };
}

describe("a ServiceError", () => {
  test.each<[ServiceErrorCode, number]>([
    ["bad_request", 400],
    ["unauthorized", 401],
    ["not_found", 404],
    ["conflict", 409],
    ["body_too_large", 413],
    ["unsupported_media_type", 415],
    ["too_many_requests", 429],
    ["chain_refused", 502],
    ["unavailable", 503],
  ])("the kind %s is answered with %d", async (kind, status) => {
    const details = [{ field: "ticker", message: "is required" }];
    const fault = new ServiceError(kind, "What happened", {
      details,
      advice: "What to do",
      retryAfterSeconds: 7,
      cause: new Error("hush"),
    });
    const { response, body } = await failing(fault);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.get("retry-after")).toBe("7");
    expect(body).toEqual({ error: "What happened", details, message: "What to do" });
  });

  test("its code is in the body", async () => {
    const { body } = await failing(new ServiceError("conflict", "Why", { code: "some_reason" }));
    expect(body).toEqual({ error: "Why", code: "some_reason" });
  });

  test("a field that it does not have is not in the answer", async () => {
    const { response, body } = await failing(new ServiceError("conflict", "Only this"));
    expect(body).toEqual({ error: "Only this" });
    expect(response.headers.get("retry-after")).toBeNull();
  });

  test("an internal one keeps its text and adds the request's id", async () => {
    const fault = new ServiceError("internal", "Failed to register launch", { cause: "hush" });
    const { response, body, requestId } = await failing(fault);
    expect(response.status).toBe(500);
    expect(body).toEqual({
      error: "Failed to register launch",
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
    expect(body).toEqual({ error: "Internal server error", message: `Request id ${requestId}` });
    expect([...response.headers].join()).not.toContain("hush");
  });

  test("each request has its own id", async () => {
    const first = await failing(new Error("boom"));
    const second = await failing(new Error("boom"));
    expect(first.requestId).not.toBe(second.requestId);
  });
});

describe("over HTTP", () => {
  /** Sends bytes as they are and reads the answer's first line. */
  async function statusOf(request: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(request));
    socket.once("data", (data) => resolve(String(data).split("\r\n")[0] ?? ""));
    socket.once("error", reject);
    try {
      return await promise;
    } finally {
      socket.destroy();
    }
  }

  test.each(["", "a", "::", "a b/c?d#e", "x/../y", "a".repeat(300)])(
    "the route is found with the Host %j",
    async (host) => {
      expect(await statusOf(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(
        "HTTP/1.1 200 OK",
      );
    },
  );

  test("a closed database is reported by a 503 with the fields of a health report", async () => {
    using broken = await testApp();
    broken.store.close();
    const response = await broken.app.handle(new Request("http://localhost/health"));
    expect(response.status).toBe(503);
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(await response.json()).toMatchObject({ ok: false, db: "disconnected" });
  });
});
