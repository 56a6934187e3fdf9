import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../testing/test-app.ts";

interface Operation {
  readonly security: unknown[];
  readonly responses: Record<string, { content: Record<string, { schema: unknown }> }>;
  readonly requestBody?: { required: boolean };
  readonly parameters?: { name: string; in: string }[];
}

interface Document {
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
}

let app: TestApp;
let text: string;
let document: Document;
beforeAll(async () => {
  app = await testApp({
    airdrop: () => Promise.reject(new Error("unused")),
    trade: () => Promise.reject(new Error("unused")),
    graduate: () => Promise.reject(new Error("unused")),
    rpc: () => Promise.reject(new Error("unused")),
  });
  text = await (await app.send("GET", "/openapi/json", { wallet: null })).text();
  document = JSON.parse(text);
});
afterAll(() => app[Symbol.dispose]());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

test("the document lists the contract's endpoints, and not the sandbox's", () => {
  const published = operations().map(({ name }) => name.replace(/\/$/, ""));
  expect(published.filter((name) => !name.includes("/metadata/")).toSorted()).toEqual([
    "GET /api/v1/events",
    "GET /api/v1/events/stream",
    "GET /api/v1/tokens",
    "GET /api/v1/tokens/claims",
    "GET /api/v1/tokens/claims/history",
    "GET /api/v1/tokens/launch/status/{eventId}",
    "GET /api/v1/tokens/launches",
    "GET /api/v1/tokens/{mintAddress}",
    "GET /api/v1/wallet",
    "GET /health",
    "GET /images/{file}",
    "GET /public/tokens/{mintAddress}",
    "POST /api/auth/challenge",
    "POST /api/auth/verify",
    "POST /api/v1/images",
    "POST /api/v1/invites/redeem",
    "POST /api/v1/tokens/claims",
    "POST /api/v1/tokens/claims/{mintAddress}",
    "POST /api/v1/tokens/launch",
    "POST /api/v1/tokens/launch/check",
    "POST /api/v1/tokens/launch/{eventId}/cancel",
    "POST /api/v1/tokens/launch/{eventId}/retry",
  ]);
  expect(text).not.toContain("/dev/");
  expect(document.servers).toEqual([{ url: "http://127.0.0.1:8787" }]);
});

test("an operation that needs a token says so and lists 401 and 429", () => {
  for (const { name, operation } of operations()) {
    if (!name.includes("/api/v1/")) continue;
    expect([name, operation.security]).toEqual([name, [{ bearer: [] }]]);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["200", "401", "429"]));
  }
});

test("answers and bodies have their schemas", () => {
  const launch = document.paths["/api/v1/tokens/launch/"]?.post;
  expect(launch?.requestBody).toMatchObject({ required: true });
  expect(JSON.stringify(launch?.requestBody)).toContain('"pattern":"^[A-Z0-9]+$"');
  expect(launch?.responses["409"]?.content["application/json"]?.schema).toMatchObject({
    required: expect.arrayContaining(["error", "code"]),
    properties: { code: { enum: ["idempotency_mismatch", "ticker_taken"] } },
  });
  const claim = document.paths["/api/v1/tokens/claims/{mintAddress}"]?.post;
  expect(claim?.requestBody).toMatchObject({ required: false });
});
