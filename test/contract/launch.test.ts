import { afterAll, describe, expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());

describe("GET /api/v1/tokens/launch/status/:eventId", () => {
  test("with a wait it answers once the launch has ended", async () => {
    const waiting = await Agent.signedIn(server);
    const path = "/api/v1/tokens/launch/status";
    const eventId = await waiting.accepted("AWAITED");
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
