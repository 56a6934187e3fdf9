import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { PublicKey } from "@solana/web3.js";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { formatSol } from "@tokenctl/shared/sol";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { Cluster } from "./cluster.ts";
import { NO_DIFFERENCE } from "./compare-with-chain.ts";
import { freezeWorker } from "./frozen-worker.ts";
import type { RpcProxy } from "./rpc-proxy.ts";
import { figures, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

const SOL = 1e9;
const DAY_MS = 86_400_000;
/** The longest that the worker pauses, in milliseconds. */
const PAUSE_MS = 15_000;
/** Milliseconds between the confirmer's polls. */
const TICK_MS = 500;
/** Launches that are made at once. */
const TOGETHER = 8;
/** An empty variable counts as not set. */
const DEFAULT_LIMITS = { MAX_LAUNCHES_PER_ADDRESS: "", MAX_QUEUE: "" };
/** How often the server is frozen, and how many launches are pending then. */
const FREEZES = scale(1, 8);
const FROZEN_LAUNCHES = scale(4, 8);

describeMeteora("launches on a cluster", () => {
  let cluster: Cluster;
  /** What a launch costs, in lamports. */
  let cost: number;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
    await using scene = await open(10 * SOL, {});
    await launched(scene, "COST");
    cost = 10 * SOL - (await balance(scene));
    figures("a launch's cost in SOL", { sol: cost / SOL });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  interface TestSetup extends AsyncDisposable {
    readonly server: TestServer;
    readonly proxy: RpcProxy;
    readonly wallet: PublicKey;
  }

  /** Starts a server whose launch wallet holds `lamports`. */
  async function open(lamports: number, env: Record<string, string>): Promise<TestSetup> {
    const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet(lamports)]);
    const settings = { ...wallet.env, RPC_URL: `http://${proxy.host}`, ...env };
    const server = await startTestServer(settings);
    return {
      server,
      proxy,
      wallet: wallet.publicKey,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  const balance = ({ wallet }: TestSetup) => cluster.chain.getBalance(wallet);
  // A probe sends what is no transaction.
  const sent = ({ proxy }: TestSetup) =>
    proxy.calls.filter(
      ({ method, params: [bytes] }) => method === "sendTransaction" && bytes !== "",
    ).length;

  async function accepted({ server }: TestSetup, ticker: string) {
    const agent = await Agent.signedIn(server);
    const { body } = await agent.launch({ ticker });
    return { agent, eventId: expectShape(LaunchAcceptedSchema, body).eventId };
  }

  async function launched(scene: TestSetup, ticker: string): Promise<void> {
    const { agent, eventId } = await accepted(scene, ticker);
    expect((await agent.untilEnded(eventId)).status).toBe("success");
  }

  /** Polls `/health` until it has this status and says this. @returns its message */
  async function health({ server }: TestSetup, status: number, says = ""): Promise<string> {
    for (;;) {
      const answer = await send(server.url, "GET", "/health");
      const { message = "" } = answer.body as { message?: string };
      const isSaid = message.includes(says) && !message.includes("not looked at yet");
      if (answer.status === status && isSaid) return message;
      await Bun.sleep(50);
    }
  }

  /** Ends the worker's pauses until the launch has succeeded. */
  async function untilSuccess({ server }: TestSetup, agent: Agent, eventId: string): Promise<void> {
    for (;;) {
      await agent.signIn();
      const { status } = await agent.status(eventId);
      if (status !== "pending") return expect(status).toBe("success");
      server.clock.advance(PAUSE_MS);
      await Bun.sleep(100);
    }
  }

  test.concurrent("wait while the wallet is below its floor, which /health reports, until it is funded", async () => {
    // Enough for the floor, and for all but a lamport of what a launch takes.
    await using scene = await open(SOL + cost - 1, { MIN_WALLET_SOL: "1" });
    const before = sent(scene);
    const { agent, eventId } = await accepted(scene, "FLOOR");
    const message = await health(scene, 503, "holds");
    expect(message).toContain(scene.wallet.toBase58());
    expect(message).toContain(`holds ${formatSol(BigInt(SOL + cost - 1))} SOL`);
    expect(message).toContain(`needs ${formatSol(BigInt(SOL + cost))} SOL`);
    expect((await agent.status(eventId)).status).toBe("pending");
    expect(sent(scene)).toBe(before);
    await cluster.chain.requestAirdrop(scene.wallet, 1_000_000);
    await untilSuccess(scene, agent, eventId);
    expect(await balance(scene)).toBe(SOL + 1_000_000 - 1);
  });

  test.concurrent("end after MAX_WAIT_HOURS in which the wallet could not pay, but not while no node answers", async () => {
    await using scene = await open(0, { MAX_WAIT_HOURS: "2" });
    const { server, proxy } = scene;
    const { agent, eventId } = await accepted(scene, "LATE");
    const until = async (state: object, stepMs = PAUSE_MS) => {
      for (;;) {
        await agent.signIn();
        const found = await agent.status(eventId);
        if (Object.entries(state).every(([name, value]) => Reflect.get(found, name) === value)) {
          return found;
        }
        server.clock.advance(stepMs);
        await Bun.sleep(50);
      }
    };
    await until({ waitingFor: "launch_wallet_short" });
    proxy.startFaults(() => "500");
    await until({ waitingFor: "chain_unavailable" });
    for (let hour = 0; hour < 10; hour++) {
      const before = proxy.count("getMultipleAccounts");
      server.clock.advance(3_600_000);
      // Each try reads what a launch costs.
      while (proxy.count("getMultipleAccounts") === before) {
        server.clock.advance(PAUSE_MS);
        await Bun.sleep(5);
      }
    }
    expect((await until({})).status).toBe("pending");
    proxy.stopFaults();
    const ended = await until({ status: "failed" }, 600_000);
    expect(ended.error).toBe("No transaction was signed for it within 2 hours");
    expect(sent(scene)).toBe(0);
    const heir = await Agent.signedIn(server);
    expect((await heir.launch({ ticker: "LATE" })).status).toBe(200);
  });

  test.concurrent("do not fail while the wallet is empty", async () => {
    await using scene = await open(0, {});
    const { agent, eventId } = await accepted(scene, "EMPTY");
    await health(scene, 503, "holds 0 SOL");
    expect((await agent.status(eventId)).status).toBe("pending");
    await cluster.chain.requestAirdrop(scene.wallet, SOL);
    await untilSuccess(scene, agent, eventId);
    await health(scene, 200);
  });

  test.concurrent("stop at a day's spending limit, even after a restart, until the next day", async () => {
    const limit = formatSol(BigInt(Math.floor(cost * 2.5)));
    await using scene = await open(10 * SOL, { MAX_DAILY_SPEND_SOL: limit });
    await launched(scene, "DAILY1");
    await launched(scene, "DAILY2");
    await scene.server.restart();
    const agent = await Agent.signedIn(scene.server);
    const refused = await agent.launch({ ticker: "DAILY3" });
    expect(refused.body).toMatchObject({ code: "daily_budget_spent" });
    expect(10 * SOL - (await balance(scene))).toBe(2 * cost);
    scene.server.clock.advance(DAY_MS);
    await launched(scene, "DAILY3");
    expect(10 * SOL - (await balance(scene))).toBe(3 * cost);
  });

  test.concurrent("are refused once a day's budget is spent, while accepted ones are still answered", async () => {
    const limit = formatSol(BigInt(Math.floor(cost * 1.5)));
    await using scene = await open(10 * SOL, { MAX_DAILY_SPEND_SOL: limit });
    const { server } = scene;
    const [owner, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
    const launch = (agent: Agent, ticker: string) =>
      agent.post("/api/v1/tokens/launch", { name: ticker, ticker }, { "idempotency-key": ticker });
    const first = await launch(owner, "BUDGET1");
    const { eventId } = expectShape(LaunchAcceptedSchema, first.body);
    expect((await owner.untilEnded(eventId)).status).toBe("success");
    for (const agent of [owner, other]) {
      const answer = await launch(agent, "BUDGET2");
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe(String(15 * 3600));
      expect(answer.body).toEqual({
        error: "Today's budget for launches is spent",
        code: "daily_budget_spent",
        message:
          "What this service pays for launches in a UTC day is spent, or set aside for those that wait. Nothing was stored. Try again at 2026-03-02 00:00 UTC.",
      });
    }
    expect((await launch(owner, "BUDGET1")).body).toMatchObject(first.body as object);
    server.clock.advance(DAY_MS);
    await other.signIn();
    const { body } = await launch(other, "BUDGET2");
    const { eventId: later } = expectShape(LaunchAcceptedSchema, body);
    expect((await other.untilEnded(later)).status).toBe("success");
  });

  test.concurrent("of sixty wallets of one address cost no more than ten launches", async () => {
    await using scene = await open(10 * SOL, DEFAULT_LIMITS);
    const agents = await Promise.all(
      Array.from({ length: 60 }, () => Agent.signedIn(scene.server)),
    );
    const answers = await Promise.all(
      agents.map(async (agent, n) => {
        const { status, body } = await agent.launch({ ticker: `SYBIL${n}` });
        if (status === 200) {
          const { eventId } = expectShape(LaunchAcceptedSchema, body);
          expect((await agent.untilEnded(eventId)).status).toBe("success");
        } else expect(body).toMatchObject({ code: "address_launch_limit" });
        return status;
      }),
    );
    const taken = 10 * SOL - (await balance(scene));
    figures("sybil", { wallets: 60, takenSol: taken / SOL });
    expect(answers.filter((status) => status === 200)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(50);
    expect(taken).toBe(10 * cost);
  });

  test.concurrent("never pay more than the fee cap, however much others bid", async () => {
    const cap = 50_000;
    await using scene = await open(10 * SOL, { MAX_TRANSACTION_FEE_LAMPORTS: String(cap) });
    scene.proxy.rewrite("getRecentPrioritizationFees", (fees) =>
      (fees as { slot: number }[]).map((fee) => ({ ...fee, prioritizationFee: 1e12 })),
    );
    await launched(scene, "CAP");
    const history = await cluster.chain.getSignaturesForAddress(scene.wallet);
    const fees = await Promise.all(
      history.map(async ({ signature }) => {
        const landed = await cluster.chain.getTransaction(signature, { commitment: "confirmed" });
        return landed?.meta?.fee ?? 0;
      }),
    );
    expect(Math.max(...fees)).toBeLessThanOrEqual(cap);
    expect(Math.max(...fees)).toBeGreaterThan(cap * 0.99);
  });

  test.concurrent("are neither lost nor doubled by a worker that was frozen until its leases ran out", async () => {
    const result = await freezeWorker(cluster, FREEZES, FROZEN_LAUNCHES);
    figures("a frozen worker", result);
    expect(result).toMatchObject(NO_DIFFERENCE);
    expect(result.launchesAccepted).toBe(FREEZES * FROZEN_LAUNCHES);
    expect(result.pendingAtFreezes).toEqual(Array(FREEZES).fill(FROZEN_LAUNCHES));
  });

  test.concurrent("take four requests each, and one per poll for all that are in flight", async () => {
    await using scene = await open(10 * SOL, {});
    await health(scene, 200);
    const alone = await launchedTogether(scene, 1);
    const together = await launchedTogether(scene, TOGETHER);
    figures("RPC calls of launches", { alone, [`${TOGETHER} together`]: together });
    for (const [count, { calls, ticks }] of [[1, alone] as const, [TOGETHER, together] as const]) {
      const { getSignatureStatuses = 0, getEpochInfo = 0, ...others } = calls;
      const { getRecentPrioritizationFees = 0, ...each } = others;
      // The fourth reads the wallet and the rent before the launch is signed, as a probe does.
      expect(each).toEqual({
        getMultipleAccounts: count,
        simulateTransaction: count,
        sendTransaction: count,
      });
      expect(getRecentPrioritizationFees).toBeLessThanOrEqual(1);
      // A probe may read the block height in between.
      expect(getSignatureStatuses + getEpochInfo).toBeLessThanOrEqual(ticks + 1);
    }
  });

  /** Launches `count` tokens at once. @returns how often each method was called for them */
  async function launchedTogether(scene: TestSetup, count: number) {
    const from = scene.proxy.calls.length;
    const started = performance.now();
    const tickers = Array.from({ length: count }, (_, index) => `${count}OF${index}`);
    await Promise.all(tickers.map((ticker) => launched(scene, ticker)));
    const ticks = Math.ceil((performance.now() - started) / TICK_MS);
    const calls: Record<string, number> = {};
    for (const { method, params } of scene.proxy.calls.slice(from)) {
      if (!isProbe(method, params)) calls[method] = (calls[method] ?? 0) + 1;
    }
    return { calls, ticks };
  }
});

/** The health monitor reads wallet, rent and clock every few seconds, even without launches. */
function isProbe(method: string, [keys]: readonly unknown[]): boolean {
  return (
    method === "getHealth" ||
    (method === "getMultipleAccounts" && Array.isArray(keys) && keys.length <= 3)
  );
}
