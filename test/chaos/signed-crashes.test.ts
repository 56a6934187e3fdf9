import { afterAll, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { HandOverReceiptSchema, PreparedHandOverSchema } from "@tokenctl/shared/contract/hand-over";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import {
  type CrashPointName,
  HAND_OVER_CRASH_POINTS,
  PAID_LAUNCH_CRASH_POINTS,
} from "../../server/src/launchpad/crash-point.ts";
import type { ServerDeps } from "../../server/src/server.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { NO_RATE_LIMITS, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());

let crashes = 0;
const dataDir = () => join(folder.path, `after ${crashes} crashes`);

/** Starts a server on the data that the last crash left, for agents that sign in. */
async function start(agents: readonly Agent[], deps: Pick<ServerDeps, "crashPoint"> = {}) {
  const env = { PORT: "0", DATA_DIR: dataDir(), LOCAL_SLOT_MS: "50", ...NO_RATE_LIMITS };
  const server = await startHere(env, deps);
  for (const agent of agents) {
    agent.server = server;
    await agent.signIn();
  }
  return server;
}

/** Starts a server on what the disk holds when another one reaches a step of the agents' work. */
async function startAfterCrash(
  agents: readonly Agent[],
  step: CrashPointName,
  work: () => Promise<unknown>,
) {
  const from = dataDir();
  const copied = Promise.withResolvers<void>();
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {});
  const crashPoint = (name: CrashPointName) => {
    if (name !== step) return;
    if (dataDir() === from) {
      crashes++;
      cpSync(from, dataDir(), { recursive: true, filter: (path) => !path.endsWith(".sock") });
      copied.resolve();
    }
    return end.promise;
  };
  {
    await using _ = await start(agents, { crashPoint });
    const working = work().catch(copied.reject);
    await copied.promise;
    end.reject(new Error(`died at ${step}`));
    await working;
  }
  return start(agents);
}

test.each(PAID_LAUNCH_CRASH_POINTS)(
  "a server that dies at %s makes one token, which its agent pays for once",
  async (step) => {
    const agent = new Agent({ url: "" });
    const ticker = `PAID${PAID_LAUNCH_CRASH_POINTS.indexOf(step)}`;
    let cost = 0;
    // Asked again after a crash, it is the same launch.
    const launch = () => agent.accepted(ticker, { payer: "agent" }, { "idempotency-key": "once" });
    const sign = async (eventId: string) => {
      const path = `/api/v1/tokens/launch/${eventId}/transaction`;
      const prepared = await agent.post(path);
      if (prepared.status === 409) return;
      const { transaction, costSOL } = expectShape(PreparedLaunchSchema, prepared.body);
      cost = costSOL.total;
      await agent.post(path, { signedTransaction: agent.signBeside(transaction) });
    };
    await using _ = await startAfterCrash([agent], step, async () => {
      await agent.post("/dev/airdrop", { sol: 1 });
      await sign(await launch());
    });
    const eventId = await launch();
    for (;;) {
      const { status, waitingFor } = await agent.status(eventId);
      if (status !== "pending") break;
      if (waitingFor === "agent_signature") await sign(eventId);
      await Bun.sleep(20);
    }
    expect(await agent.status(eventId)).toMatchObject({ status: "success" });
    const { body } = await agent.get(`/api/v1/wallet?wallet=${agent.wallet}`);
    expect((body as { balanceSOL: number }).balanceSOL).toBeCloseTo(1 - cost, 6);
  },
);

test("a server that dies at any step hands a token over once, and says so once", async () => {
  let [from, to] = [new Agent({ url: "" }), new Agent({ url: "" })];
  let server = await start([from, to]);
  for (const agent of [from, to]) await agent.post("/dev/airdrop", { sol: 1 });
  const mint = (await from.launched("PASS")).tokenMint ?? "";
  const path = `/api/v1/tokens/hand-overs/${mint}`;
  for (const [times, step] of HAND_OVER_CRASH_POINTS.entries()) {
    await server.stop();
    let signedTransaction = "";
    server = await startAfterCrash([from, to], step, async () => {
      const { body } = await from.post(path, { to: to.wallet });
      signedTransaction = from.signClaim(expectShape(PreparedHandOverSchema, body).transaction);
      await from.post(path, { signedTransaction });
    });
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
  await server.stop();
});
