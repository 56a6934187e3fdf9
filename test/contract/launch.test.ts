import { afterAll, describe, expect, test } from "bun:test";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

const server = await startTestServer();
const agent = await Agent.signedIn(server);
afterAll(() => server[Symbol.asyncDispose]());

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
});

describe("GET /api/v1/tokens/launch/status/:eventId", () => {
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
});
