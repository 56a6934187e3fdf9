import { afterAll, describe, expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer();
const agent = await Agent.signedIn(server);
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
});
