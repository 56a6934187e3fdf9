import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import type { LaunchStatusName } from "@tokenctl/shared/types";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

let server: TestServer;
let agent: Agent;
beforeAll(async () => {
  server = await startTestServer();
  agent = await Agent.signedIn(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** A good launch with the changes of a test. */
function request(change: object): object {
  return { name: "A token", ticker: "OK", ...change };
}

describe("POST /api/v1/tokens/launch", () => {
  test("accepts a launch, which ends on chain", async () => {
    const { status, body } = await agent.launch({
      ticker: "FIRST",
      name: "The first token",
      description: "It comes first",
      imageUrl: "https://example.com/first.png",
    });
    expect(status).toBe(200);
    const { eventId } = expectShape(LaunchAcceptedSchema, body);
    const launch = await agent.untilEnded(eventId);
    expect(launch).toMatchObject({ eventId, ticker: "FIRST", status: "success", error: null });
    expect(launch.processedAt).toBeString();
    expect(launch.tokenMint).toBeString();
    expect(launch.poolAddress).toBeString();
  });

  const emoji = "🚀";
  test.each([
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
    ["a name of 256 emoji", { name: emoji.repeat(256) }, "name"],
    ["a name that is a number", { name: 5 }, "name"],
    ["a name with half a surrogate pair", { name: "\ud83d" }, "name"],
    ["a name of spaces", { name: "   " }, "name"],
    ["a name of characters that are not seen", { name: "\u200b\u3164\u2800\ufeff" }, "name"],
    ["a name that is blank on chain", { name: `${" ".repeat(40)}Agent Coin` }, "name"],
    ["a name with a line break", { name: "Agent\nCoin" }, "name"],
    ["a name with an escape sequence", { name: "\x1b[31mAgent Coin" }, "name"],
    ["a name with a C1 control", { name: "Agent\u009b31m Coin" }, "name"],
    ["a name that is turned around", { name: "\u202enioC tnegA" }, "name"],
    ["an on-chain name of 33 bytes", { onChainName: `${"é".repeat(16)}n` }, "onChainName"],
    ["an on-chain name of spaces", { onChainName: "  " }, "onChainName"],
    ["an on-chain name that is turned around", { onChainName: "\u202eA" }, "onChainName"],
    ["an on-chain name that is null", { onChainName: null }, "onChainName"],
    ["no ticker", { ticker: undefined }, "ticker"],
    ["a ticker of 1 character", { ticker: "A" }, "ticker"],
    ["a ticker of 11 characters", { ticker: "ABCDEFGHIJK" }, "ticker"],
    ["a lowercase ticker", { ticker: "abc" }, "ticker"],
    ["a ticker with a newline", { ticker: "ABC\n" }, "ticker"],
    ["a description of 1001 characters", { description: "d".repeat(1001) }, "description"],
    ["an image that is no URL", { imageUrl: "image.png" }, "imageUrl"],
    ["an image behind javascript:", { imageUrl: "javascript:alert(1)" }, "imageUrl"],
    ["an image behind file:", { imageUrl: "file:///etc/passwd" }, "imageUrl"],
    ["an image URL of 256 characters", { imageUrl: `https://a.io/${"i".repeat(243)}` }, "imageUrl"],
    ["an image that is null", { imageUrl: null }, "imageUrl"],
  ])("answers 400 and names the field for %s", async (_, change, field) => {
    const { status, body } = await agent.post("/api/v1/tokens/launch", request(change));
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "Validation failed", details: [{ field }] });
  });

  test.each([
    ["symbol", undefined],
    ["Ticker", "ticker"],
    ["image_url", "imageUrl"],
    ["descripton", "description"],
    ["__proto__", undefined],
  ])("refuses the unknown field %s", async (field, meant) => {
    const json = JSON.parse(`{"name":"A","ticker":"OK","${field}":"x"}`);
    const { status, body } = await agent.post("/api/v1/tokens/launch", json);
    expect(status).toBe(400);
    const { details } = body as { details: { field: string; message: string }[] };
    expect(details).toHaveLength(1);
    expect(details[0]?.field).toBe(field);
    if (meant) expect(details[0]?.message).toContain(`did you mean "${meant}"?`);
  });

  test("counts lengths in characters, and accepts the longest texts", async () => {
    const other = await Agent.signedIn(server);
    const { status } = await other.launch({
      ticker: "LONGEST123",
      name: emoji.repeat(255),
      description: emoji.repeat(1000),
      imageUrl: `ipfs://${"i".repeat(248)}`,
    });
    expect(status).toBe(200);
  });

  test("an on-chain name is a part of the request that an Idempotency-Key names", async () => {
    const other = await Agent.signedIn(server);
    const post = (onChainName: string) => {
      const json = { name: emoji.repeat(20), onChainName, ticker: "ONCHAIN" };
      return other.post("/api/v1/tokens/launch", json, { "idempotency-key": "one" });
    };
    const first = await post("é".repeat(16));
    expect(first.status).toBe(200);
    const again = { ...(first.body as object), replayed: true };
    expect((await post("é".repeat(16))).body).toEqual(again);
    expect((await post("é")).body).toMatchObject({ code: "idempotency_mismatch" });
  });

  test("answers 409 to a taken ticker", async () => {
    const { status, body } = await (await Agent.signedIn(server)).launch({ ticker: "FIRST" });
    expect(status).toBe(409);
    expect(body).toEqual({ error: "Ticker FIRST already exists", code: "ticker_taken" });
  });

  test("answers one 200 and 99 times 409 to 100 simultaneous launches of one ticker", async () => {
    const agents = await Promise.all(Array.from({ length: 10 }, () => Agent.signedIn(server)));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (agents[i % 10] as Agent).launch({ ticker: "RACE" })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(99).fill(409)]);
  });

  test("ends one of an agent's 20 launches of a day as success and 19 as rate_limited", async () => {
    const busy = await Agent.signedIn(server);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => busy.launch({ ticker: `BUSY${i}` })),
    );
    const launches = await Promise.all(
      answers.map(({ body }) => busy.untilEnded((body as { eventId: string }).eventId)),
    );
    const statuses = launches.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<LaunchStatusName>(19).fill("rate_limited"), "success"]);
    for (const launch of launches) {
      if (launch.status === "rate_limited") {
        expect(launch).toMatchObject({ tokenMint: null, poolAddress: null });
        expect(launch.error).toContain("UTC");
        expect(launch.processedAt).toBeString();
      }
    }
  });

  test("starts a new day at midnight UTC", async () => {
    const daily = await Agent.signedIn(server);
    const midnight = Math.ceil((server.clock.now() + 1) / DAY_MS) * DAY_MS;
    server.clock.set(midnight - 60_000);
    await daily.signIn();
    expect((await daily.launched("EVENING1")).status).toBe("success");
    expect((await daily.launched("EVENING2")).status).toBe("rate_limited");
    server.clock.set(midnight);
    expect((await daily.launched("MORNING1")).status).toBe("success");
    expect((await daily.launched("MORNING2")).status).toBe("rate_limited");
    await agent.signIn();
  });

  test("returns the same launch for the same Idempotency-Key and body", async () => {
    const careful = await Agent.signedIn(server);
    const json = request({ ticker: "ONCE" });
    const key = { "idempotency-key": "key-1" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => careful.post("/api/v1/tokens/launch", json, key)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const ids = new Set(answers.map(({ body }) => (body as { eventId: string }).eventId));
    expect(ids.size).toBe(1);
    const reused = await careful.post("/api/v1/tokens/launch", request({ ticker: "TWICE" }), key);
    expect(reused.status).toBe(409);
    const other = await Agent.signedIn(server);
    const others = await other.post("/api/v1/tokens/launch", request({ ticker: "OTHERS" }), key);
    expect(others.status).toBe(200);
  });

  test("answers 400 to a request without a body", async () => {
    const { status, body } = await send(server.url, "POST", "/api/v1/tokens/launch", {
      token: agent.token,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "Validation failed", details: [{ field: "body" }] });
  });
});

describe("GET /api/v1/tokens/launch/status/:eventId", () => {
  test.each(["00000000-0000-4000-8000-000000000000", "x", "a".repeat(5000)])(
    "answers 404 to an unknown event",
    async (eventId) => {
      const { status, body } = await agent.get(`/api/v1/tokens/launch/status/${eventId}`);
      expect(status).toBe(404);
      expect(body).toEqual({ error: "Launch not found", code: "launch_not_found" });
    },
  );

  test("answers 404 to another agent's launch", async () => {
    const { body } = await agent.launch({ ticker: "MINE" });
    const { eventId } = body as { eventId: string };
    const other = await Agent.signedIn(server);
    const found = await other.get(`/api/v1/tokens/launch/status/${eventId}`);
    expect(found.status).toBe(404);
    expect(found.body).toEqual({ error: "Launch not found", code: "launch_not_found" });
  });

  test("with a wait it answers once the launch has ended", async () => {
    const waiting = await Agent.signedIn(server);
    const path = "/api/v1/tokens/launch/status";
    const { eventId } = (await waiting.launch({ ticker: "AWAITED" })).body as { eventId: string };
    const begun = performance.now();
    const { status, body } = await waiting.get(`${path}/${eventId}?wait=55`);
    expect([status, body]).toMatchObject([200, { eventId, status: "success" }]);
    expect((await waiting.get(`${path}/${eventId}?wait=55`)).body).toEqual(body);
    expect((await waiting.get(`${path}/${crypto.randomUUID()}?wait=55`)).status).toBe(404);
    expect(performance.now() - begun).toBeLessThan(50_000);
    for (const wait of ["-1", "56", "x", ""]) {
      const refused = await waiting.get(`${path}/${eventId}?wait=${wait}`);
      expect(refused).toMatchObject({ status: 400, body: { details: [{ field: "wait" }] } });
    }
  });
});

describe("POST /api/v1/tokens/launch/:eventId/retry", () => {
  test("puts a rate_limited launch back in the queue under its ticker", async () => {
    const patient = await Agent.signedIn(server);
    await patient.launched("PATIENT1");
    const limited = await patient.launched("PATIENT2");
    expect(limited.status).toBe("rate_limited");
    server.clock.advance(DAY_MS);
    await patient.signIn();
    const { status, body } = await patient.post(`/api/v1/tokens/launch/${limited.eventId}/retry`);
    expect(status).toBe(200);
    expect(expectShape(LaunchAcceptedSchema, body).eventId).toBe(limited.eventId);
    expect((await patient.untilEnded(limited.eventId)).status).toBe("success");
    const again = await patient.post(`/api/v1/tokens/launch/${limited.eventId}/retry`);
    expect(again.status).toBe(409);
    await agent.signIn();
  });

  test("answers 404 to another agent's launch", async () => {
    const owner = await Agent.signedIn(server);
    await owner.launched("OWNED1");
    const { eventId } = await owner.launched("OWNED2");
    const { status, body } = await agent.post(`/api/v1/tokens/launch/${eventId}/retry`);
    expect(status).toBe(404);
    expect(body).toEqual({ error: "Launch not found", code: "launch_not_found" });
  });
});
