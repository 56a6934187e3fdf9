import { expect, test } from "bun:test";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { HandOverReceiptSchema, PreparedHandOverSchema } from "@tokenctl/shared/contract/hand-over";
import { HAND_OVER_CRASH_POINTS } from "../../server/src/launchpad/crash-point.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTokend, TOKEND, tempFolder } from "../support/processes.ts";
import { isConnectionLoss } from "./agent-activity.ts";

test("a server killed at any step hands a token over once, and says so once", async () => {
  using data = tempFolder();
  const start = async (env: Record<string, string>, ...agents: readonly Agent[]) => {
    const server = await startTokend(TOKEND, data.path, env);
    for (const agent of agents) agent.server = server;
    for (const agent of agents) await agent.signIn();
    return server;
  };
  let [from, to] = [new Agent({ url: "" }), new Agent({ url: "" })];
  let path = "";
  let mint = "";
  {
    await using _ = await start({}, from, to);
    for (const agent of [from, to]) await agent.post("/dev/airdrop", { sol: 1 });
    mint = (await from.launched("PASS")).tokenMint ?? "";
    path = `/api/v1/tokens/hand-overs/${mint}`;
  }
  for (const [times, step] of HAND_OVER_CRASH_POINTS.entries()) {
    const server = await start({ TOKEND_CRASH_AT: step }, from, to);
    const { body } = await from.post(path, { to: to.wallet });
    const { transaction } = expectShape(PreparedHandOverSchema, body);
    const signedTransaction = from.signClaim(transaction);
    const isLost = await from.post(path, { signedTransaction }).then(() => false, isConnectionLoss);
    expect([step, isLost]).toEqual([step, true]);
    await server.exited;

    await using _ = await start({}, from, to);
    const answer = await from.post(path, { signedTransaction });
    expect([step, answer.status]).toEqual([step, 200]);
    expect(expectShape(HandOverReceiptSchema, answer.body).to).toBe(to.wallet);
    expect((await to.post(`/api/v1/tokens/received/${mint}`)).status).toBe(200);
    const events = await from.get("/api/v1/events");
    const told = expectShape(AgentEventListSchema, events.body).events.filter(
      ({ type }) => type === "token.handed_over",
    );
    expect([step, told.length]).toEqual([step, Math.floor(times / 2) + 1]);
    [from, to] = [to, from];
  }
});
