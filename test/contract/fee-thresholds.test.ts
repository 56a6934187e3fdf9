import { afterAll, expect, test } from "bun:test";
import { FeeThresholdListSchema } from "@tokenctl/shared/contract/event";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const PATH = "/api/v1/events/thresholds";

const server = await startTestServer({ POOL_WATCH_SECONDS: "1" });
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;
const ticker = () => `F${++tickers}`;

function thresholdsIn({ status, body }: Answer) {
  expect(status).toBe(200);
  return expectShape(FeeThresholdListSchema, body).thresholds;
}

async function agentWithToken() {
  const agent = await Agent.signedIn(server);
  const { tokenMint } = await agent.launched(ticker());
  if (!tokenMint) throw new Error("no token");
  const trade = (sol: string) => agent.post("/dev/trade", { tokenMint, side: "buy", sol });
  return { agent, tokenMint, trade };
}

test("an agent has a threshold for all tokens, and one for each token", async () => {
  const { agent, tokenMint } = await agentWithToken();
  const other = await Agent.signedIn(server);
  expect(thresholdsIn(await agent.get(PATH))).toEqual([]);
  const all = { tokenMint: null, claimableSOL: 0.1 };
  const own = { tokenMint, claimableSOL: 0.000000001 };
  expect(thresholdsIn(await agent.put(PATH, { claimableSOL: "0.1" }))).toEqual([all]);
  const tiny = { claimableSOL: 1e-9 };
  expect(thresholdsIn(await agent.put(`${PATH}/${tokenMint}`, tiny))).toEqual([all, own]);
  expect(thresholdsIn(await other.get(PATH))).toEqual([]);
  expect(thresholdsIn(await other.delete(PATH))).toEqual([]);
  expect(thresholdsIn(await agent.delete(PATH))).toEqual([own]);
  expect(thresholdsIn(await agent.delete(`${PATH}/${tokenMint}`))).toEqual([]);
  expect(thresholdsIn(await agent.delete(`${PATH}/${tokenMint}`))).toEqual([]);
});

test("a threshold is more than 0, at most a million SOL, and of the agent's own token", async () => {
  const { tokenMint } = await agentWithToken();
  const stranger = await Agent.signedIn(server);
  for (const claimableSOL of [0, -1, "0", "", "1e-9", 1e-10, "1000000.1", 1e21, null, true]) {
    expect(await stranger.put(PATH, { claimableSOL })).toMatchObject({
      status: 400,
      body: { details: [{ field: "claimableSOL" }] },
    });
  }
  expect(await stranger.put(PATH, {})).toMatchObject({ status: 400 });
  const path = `${PATH}/${tokenMint}`;
  const notFound = { status: 404, body: { code: "token_not_found" } };
  expect(await stranger.put(path, { claimableSOL: 1 })).toMatchObject(notFound);
  expect(await stranger.delete(path)).toMatchObject(notFound);
  expect(thresholdsIn(await stranger.get(PATH))).toEqual([]);
});
