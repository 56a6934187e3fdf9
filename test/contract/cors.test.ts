import { afterAll, describe, expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const APP = "https://app.example";
const ELSEWHERE = "https://evil.example";

const [open, closed, any] = await Promise.all([
  startTestServer({ CORS_ORIGINS: `${APP}, http://localhost:5173` }),
  startTestServer(),
  startTestServer({ CORS_ORIGINS: "*" }),
]);
afterAll(async () => {
  for (const server of [open, closed, any]) await server[Symbol.asyncDispose]();
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
    "access-control-request-headers":
      "authorization,content-type,idempotency-key,last-event-id,solana-client",
  },
});
const granted = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a page of an allowed origin", () => {
  test("may send every request of the contract, without cookies", async () => {
    for (const path of ["/api/v1/tokens/launch", "/api/auth/challenge", "/health"]) {
      const answer = await ask(open, path, preflight(APP));
      const { status, headers } = answer;
      expect(status).toBe(204);
      expect(granted(answer)).not.toContain("access-control-allow-credentials");
      expect(headers.get("access-control-allow-origin")).toBe(APP);
      expect(headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, DELETE");
      expect(headers.get("access-control-allow-headers")).toBe(
        "authorization, content-type, idempotency-key, last-event-id, solana-client",
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
        "x-request-id, retry-after, ratelimit, ratelimit-policy",
      );
      expect(response.headers.get("x-request-id")).not.toBeNull();
    }
  });

  test("reads a refusal by a rate limit, and an event stream", async () => {
    await using limited = await startTestServer({
      CORS_ORIGINS: APP,
      RATE_LIMIT_AUTH_PER_MINUTE: "1",
    });
    const challenge = {
      method: "POST",
      body: "{}",
      headers: { origin: APP, "content-type": "application/json" },
    };
    await ask(limited, "/api/auth/challenge", challenge);
    const refused = await ask(limited, "/api/auth/challenge", challenge);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit")).not.toBeNull();
    const { token } = await Agent.signedIn(open);
    const stream = await fetch(`${open.url}/api/v1/events/stream`, {
      headers: { origin: APP, authorization: `Bearer ${token}` },
    });
    await stream.body?.cancel();
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    for (const { headers } of [refused, stream]) {
      expect(headers.get("access-control-allow-origin")).toBe(APP);
      expect(headers.get("access-control-expose-headers")).toContain("ratelimit");
    }
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

test("caches are told so even where an answer also depends on other headers", async () => {
  for (const [path, wanted] of [
    ["/openapi/viewer.css", "Origin, Accept-Encoding"],
    ["/", "Origin, Accept, Accept-Encoding"],
  ] as const) {
    const page = await ask(open, path, { headers: { origin: APP, accept: "text/html" } });
    expect([path, page.status, page.headers.get("vary")]).toEqual([path, 200, wanted]);
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
