import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { limits } from "@tokenctl/shared/limits";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let agent: Agent;
beforeAll(async () => {
  server = await startTestServer();
  agent = await Agent.signedIn(server);
});
afterAll(() => server[Symbol.asyncDispose]());

function post(
  body: string | Buffer | ReadableStream,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(`${server.url}/api/v1/tokens/launch`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.token}`, ...headers },
    body,
  });
}

const JSON_HEADERS = { "content-type": "application/json" };

describe("GET /health", () => {
  test("answers 200 with the contract's fields, without sign-in", async () => {
    const { status, body } = await send(server.url, "GET", "/health");
    expect(status).toBe(200);
    const health = expectShape(HealthSchema, body);
    expect(health).toMatchObject({ ok: true, db: "connected" });
    expect(health.timestamp).toBe(new Date(server.clock.now()).toISOString());
  });
});

test.each([
  ["/api/v1/tokens/%00", "path"],
  ["/api/v1/tokens/launch/status/a%00b", "path"],
  ["/api/v1/tokens/claims/history?limit=5&token=%00", "token"],
])("U+0000 in %s is refused, and the field is named", async (path, field) => {
  expect(await agent.get(path)).toMatchObject({
    status: 400,
    body: { code: "validation_failed", details: [{ field, message: "must not hold U+0000" }] },
  });
});

describe("the server", () => {
  test.each([
    ["GET", "/nowhere"],
    ["GET", "/api/v1/tokens/launch/status/"],
    ["DELETE", "/api/v1/tokens/launch"],
    ["GET", "/api/auth/verify"],
    ["PUT", "/health"],
    ["GET", "/%"],
    ["GET", "/api/v1/tokens/%E0%A4%A"],
    ["GET", "/%00"],
  ])("answers %s %s with 4xx in the contract's shape", async (method, path) => {
    const { status } = await send(server.url, method, path, { token: agent.token });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test.each([
    ["malformed", "{"],
    ["cut off", '{"name":"A","ticker":"'],
    ["text", '"a text"'],
    ["a list", "[]"],
    ["null", "null"],
    ["deep", "[".repeat(60_000)],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ] as const)("answers a body that is %s with 400", async (_, body) => {
    const response = await post(body, JSON_HEADERS);
    expect(response.status).toBe(400);
    const answer = expectShape(ErrorBodySchema, await response.json());
    expect(answer.error).toBe("Validation failed");
    expect(answer.details?.[0]?.field).toBe("body");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "answers the content type %p with 415",
    async (type) => {
      const response = await post(Buffer.from('{"name":"A","ticker":"TYPE"}'), {
        "content-type": type,
      });
      expect(response.status).toBe(415);
      expectShape(ErrorBodySchema, await response.json());
    },
  );

  test("answers 413 to bodies above 64 KiB, and not to one of 64 KiB", async () => {
    const json = (bytes: number) => `{"name":"${"x".repeat(bytes - 11)}"}`;
    expect(json(limits.bodyBytes)).toHaveLength(limits.bodyBytes);
    expect((await post(json(limits.bodyBytes), JSON_HEADERS)).status).toBe(400);
    for (const bytes of [limits.bodyBytes + 1, 5_000_000]) {
      const response = await post(json(bytes), JSON_HEADERS);
      expect(response.status).toBe(413);
      expectShape(ErrorBodySchema, await response.json());
    }
  });

  test("cuts off a body of undeclared length at 64 KiB", async () => {
    const chunk = Buffer.alloc(16_384, "x");
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(chunk);
      },
    });
    const response = await post(stream, JSON_HEADERS);
    expect(response.status).toBe(413);
    expectShape(ErrorBodySchema, await response.json());
  });

  test("repeats nothing of a bad request in its answer", async () => {
    const secret = "swordfish-secret-value";
    const bodies = [`{"name":"${secret}","ticker":"${secret}"}`, `{"${secret}`, `["${secret}"]`];
    for (const body of bodies) {
      expect(await (await post(body, JSON_HEADERS)).text()).not.toContain(secret);
    }
  });
});

describe("GET /openapi", () => {
  test("serves a document that names every route of the contract", async () => {
    const document = (await (await fetch(`${server.url}/openapi/json`)).json()) as {
      paths: Record<string, object>;
    };
    expect(Object.keys(document.paths).sort()).toEqual([
      "/api/auth/challenge",
      "/api/auth/verify",
      "/api/v1/events",
      "/api/v1/events/stream",
      "/api/v1/events/thresholds",
      "/api/v1/events/thresholds/{mintAddress}",
      "/api/v1/images",
      "/api/v1/invites/redeem",
      "/api/v1/tokens/",
      "/api/v1/tokens/claims",
      "/api/v1/tokens/claims/history",
      "/api/v1/tokens/claims/{mintAddress}",
      "/api/v1/tokens/hand-overs/{mintAddress}",
      "/api/v1/tokens/launch",
      "/api/v1/tokens/launch/check",
      "/api/v1/tokens/launch/status/{eventId}",
      "/api/v1/tokens/launch/{eventId}/cancel",
      "/api/v1/tokens/launch/{eventId}/retry",
      "/api/v1/tokens/launch/{eventId}/transaction",
      "/api/v1/tokens/launches",
      "/api/v1/tokens/received/{mintAddress}",
      "/api/v1/tokens/waiting",
      "/api/v1/tokens/{mintAddress}",
      "/api/v1/wallet",
      "/api/v1/webhooks",
      "/api/v1/webhooks/{id}",
      "/api/v1/webhooks/{id}/deliveries",
      "/api/v1/webhooks/{id}/replay",
      "/api/v1/webhooks/{id}/rotate",
      "/api/v1/webhooks/{id}/test",
      "/dev/airdrop",
      "/dev/graduate",
      "/dev/rpc",
      "/dev/trade",
      "/health",
      "/images/{file}",
      "/llms-full.txt",
      "/llms.txt",
      "/metadata/{file}",
      "/public/markets",
      "/public/tokens/{mintAddress}",
      "/public/tokens/{mintAddress}/market",
      "/public/tokens/{mintAddress}/proof",
      "/ready",
      "/references/{file}",
      "/skill.md",
    ]);
  });
});
