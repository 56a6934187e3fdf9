import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const APP = "https://app.example";
const ELSEWHERE = "https://evil.example";

let open: TestServer;
let closed: TestServer;
let any: TestServer;
beforeAll(async () => {
  const origins = `${APP}, http://localhost:5173`;
  [open, closed, any] = await Promise.all([
    startTestServer({ CORS_ORIGINS: origins }),
    startTestServer(),
    startTestServer({ CORS_ORIGINS: "*" }),
  ]);
});
afterAll(async () => {
  for (const server of [open, closed, any]) await server?.[Symbol.asyncDispose]();
});

async function ask(server: TestServer, path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(server.url + path, init);
  await response.arrayBuffer();
  return response;
}

const preflight = (origin: string): RequestInit => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,idempotency-key",
  },
});
/** The headers that grant something to a page. */
const granted = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a page of an allowed origin", () => {
  test("may send every request of the contract", async () => {
    for (const path of ["/api/v1/tokens/launch", "/api/auth/challenge", "/health"]) {
      const { status, headers } = await ask(open, path, preflight(APP));
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(APP);
      expect(headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, DELETE");
      expect(headers.get("access-control-allow-headers")).toBe(
        "authorization, content-type, idempotency-key",
      );
      expect(headers.get("vary")).toBe("Origin");
    }
  });

  test("may read every answer, errors too, with its request id", async () => {
    const json = { method: "POST", body: "{}", headers: { origin: APP } };
    for (const [path, init, wanted] of [
      ["/health", { headers: { origin: "http://localhost:5173" } }, 200],
      ["/api/v1/tokens/", { headers: { origin: APP } }, 401],
      ["/nowhere", { headers: { origin: APP } }, 404],
      ["/api/auth/challenge", json, 415],
    ] as const) {
      const response = await ask(open, path, init);
      expect([path, response.status]).toEqual([path, wanted]);
      expect(response.headers.get("access-control-allow-origin")).toBe(init.headers.origin);
      expect(response.headers.get("access-control-expose-headers")).toBe(
        "x-request-id, retry-after",
      );
      expect(response.headers.get("x-request-id")).not.toBeNull();
    }
  });

  test("gets no leave to send cookies", async () => {
    const response = await ask(open, "/health", preflight(APP));
    expect(granted(response)).not.toContain("access-control-allow-credentials");
  });
});

test("a page of another origin is granted nothing, and caches are told that it matters", async () => {
  for (const origin of [
    ELSEWHERE,
    `${APP}.evil.example`,
    `${APP}:444`,
    "null",
    "http://app.example",
  ]) {
    const asked = await ask(open, "/api/v1/tokens/launch", preflight(origin));
    expect([origin, asked.status, granted(asked)]).toEqual([origin, 405, []]);
    const read = await ask(open, "/health", { headers: { origin } });
    expect([origin, read.status, granted(read)]).toEqual([origin, 200, []]);
    expect(read.headers.get("vary")).toBe("Origin");
  }
});

test("without CORS_ORIGINS no page is granted anything", async () => {
  const asked = await ask(closed, "/api/v1/tokens/launch", preflight(APP));
  expect([asked.status, granted(asked)]).toEqual([405, []]);
  const read = await ask(closed, "/health", { headers: { origin: APP } });
  expect([granted(read), read.headers.get("vary")]).toEqual([[], null]);
});

test("CORS_ORIGINS=* allows every page", async () => {
  const { status, headers } = await ask(any, "/api/v1/tokens/launch", preflight(ELSEWHERE));
  expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

test("OPTIONS that is no preflight is answered as before", async () => {
  const response = await ask(open, "/health", { method: "OPTIONS", headers: { origin: APP } });
  expect(response.status).toBe(405);
});
