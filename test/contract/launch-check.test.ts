import { afterAll, expect, test } from "bun:test";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const PATH = "/api/v1/tokens/launch/check";

const server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "2" });
afterAll(() => server[Symbol.asyncDispose]());

async function check(agent: Agent, request: object) {
  const { status, body } = await agent.post(PATH, request);
  expect(status).toBe(200);
  return expectShape(LaunchCheckSchema, body);
}

const asked = (ticker: string): LaunchRequest => ({
  name: "A token",
  ticker,
  imageUrl: "https://example.com/a.png",
});

test("a launch that was found good is accepted, and a check uses up nothing", async () => {
  const agent = await Agent.signedIn(server);
  for (let n = 0; n < 5; n++) {
    expect(await check(agent, asked("GOOD"))).toMatchObject({
      ok: true,
      refusals: [],
      endsAs: null,
      agent: { hasLaunchedToday: false, waiting: 0, accepted: 0, limit: 2, left: 2 },
      queue: { depth: 0, place: 1 },
      service: { ok: true, message: null },
      onChain: { name: "A token", symbol: "GOOD" },
      fees: {
        bondingCurve: { startBps: 100, endBps: 100, creatorSharePercent: 100 },
        liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 100 },
      },
    });
  }
  expect((await agent.get("/api/v1/tokens/")).body).toEqual({ tokens: [] });
  expect((await agent.launched("GOOD")).status).toBe("success");
});

test("a check needs a bearer token, and counts for the agent's rate limit", async () => {
  await using strict = await startTestServer({ RATE_LIMIT_AGENT_PER_MINUTE: "2" });
  expect((await send(strict.url, "POST", PATH, { json: asked("ANY") })).status).toBe(401);
  const agent = await Agent.signedIn(strict);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await agent.post(PATH, asked("ANY"))).status);
  expect(statuses).toEqual([200, 200, 429]);
});
