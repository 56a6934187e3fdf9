import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { utcDay } from "../../base/clock.ts";
import { createLog } from "../../base/log.ts";
import { ChainMonitor } from "../../modules/health/service.ts";
import type { RpcFetch } from "../../solana/connection.ts";
import { StalledNode } from "../../solana/health.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { ChainUnavailableError } from "../errors.ts";
import { signBy } from "../signing/testing/steps.ts";
import { ClusterIdentity } from "./cluster.ts";
import { Journal, MemoryBook, unsent } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

const TIMELY = "The Solana RPC does not answer in time";

/** A launchpad whose node answers probes after `delayMs`; null means never. */
function setUp() {
  const node = {
    delayMs: (_method: string): number | null => 0,
    asked: [] as string[],
    open: 0,
    mostOpen: 0,
  };
  const probeFetch: RpcFetch = async (input, init) => {
    const method = String(JSON.parse(String(init.body)).method);
    const delayMs = node.delayMs(method);
    node.asked.push(method);
    node.open += 1;
    node.mostOpen = Math.max(node.mostOpen, node.open);
    const answered = Promise.withResolvers<void>();
    init.signal?.addEventListener("abort", () => answered.reject(new Error("aborted")));
    if (delayMs !== null) clock.after(delayMs, answered.resolve);
    try {
      await answered.promise;
    } finally {
      node.open -= 1;
    }
    return rpc.fetch(input, init);
  };
  const { clock, connection, launchpad, rpc } = testLaunchpad({
    probeFetch,
    program: (inner) => ({
      ...inner,
      async checkConfig(through = connection) {
        await through.getSlot();
        return null;
      },
    }),
  });
  const monitor = new ChainMonitor(launchpad, clock, createLog("silent"));
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      clock.advance(50);
      await turns();
    }
  };
  return { node, monitor, pass };
}

test("a node that hangs right after a probe is reported within five seconds", async () => {
  const { node, monitor, pass } = setUp();
  monitor.start();
  while (!monitor.last.ok) await pass(50);
  node.delayMs = () => null;
  await pass(4_500);
  expect(monitor.last).toMatchObject({ ok: true });
  await pass(500);
  expect(monitor.last).toMatchObject({ ok: false, problem: TIMELY });
  node.delayMs = () => 0;
  await pass(5_000);
  expect(monitor.last).toMatchObject({ ok: true });
  void monitor.stop();
});

test("a node that hangs during a probe is reported as soon", async () => {
  const { node, monitor, pass } = setUp();
  // The node returns the accounts, but never answers the check of the program.
  node.delayMs = (method) => (method === "getSlot" ? null : 2_000);
  monitor.start();
  await pass(2_050);
  expect(node.asked.at(-1)).toBe("getSlot");
  await pass(2_500);
  expect(monitor.last).toMatchObject({ ok: false, problem: TIMELY });
  void monitor.stop();
});

test("a node that takes two seconds for every answer has no problem", async () => {
  const { node, monitor, pass } = setUp();
  node.delayMs = () => 2_000;
  monitor.start();
  await pass(4_050);
  for (let seconds = 0; seconds < 70; seconds++) {
    expect(monitor.last).toMatchObject({ ok: true });
    await pass(1_000);
  }
  void monitor.stop();
});

test("probes of a node that hangs do not pile up", async () => {
  const { node, monitor, pass } = setUp();
  node.delayMs = () => null;
  monitor.start();
  await pass(60_000);
  expect(node.mostOpen).toBe(3);
  void monitor.stop();
});

test("an idle minute takes 48 requests, and one each of what launches and claims ask besides", async () => {
  const { node, monitor, pass } = setUp();
  monitor.start();
  await pass(60_000);
  const count = (method: string) => node.asked.filter((asked) => asked === method).length;
  expect(count("getMultipleAccounts")).toBeLessThanOrEqual(27);
  // Every second probe, and one more for the test of all methods.
  expect(count("getHealth")).toBeLessThanOrEqual(15);
  expect(count("getEpochInfo")).toBeLessThanOrEqual(7);
  expect(count("simulateTransaction")).toBe(1);
  expect(node.asked.length).toBeLessThanOrEqual(48 + 11);
  expect(count("getSlot")).toBe(1);
  void monitor.stop();
});

describe("probe", () => {
  test("reports no problem of a working chain", async () => {
    const { launchpad } = testLaunchpad();
    const probe = await launchpad.probe();
    expect(probe).toEqual({
      ok: true,
      problem: null,
      walletLamports: 100n * SOL,
      walletLaunches: 3_333,
      pace: expect.anything(),
    });
  });

  test("reports a launch wallet under the floor", async () => {
    const { launchpad, wallet } = testLaunchpad({ limits: { minWalletLamports: 101n * SOL } });
    const probe = await launchpad.probe();
    expect(probe).toEqual({
      ok: false,
      problem: `The launch wallet ${wallet.publicKey} holds 100 SOL and needs 101 SOL: send SOL to it`,
      walletLamports: 100n * SOL,
      walletLaunches: 0,
      pace: expect.anything(),
    });
  });

  test("reports a wallet with less than a launch costs, once a launch has shown it", async () => {
    const funds = SOL + 5_000_000n;
    const limits = { minWalletLamports: SOL };
    const { launchpad, chain, wallet } = testLaunchpad({ funds, limits });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("send SOL to it");
    const { ok, problem } = await launchpad.probe();
    expect(ok).toBe(false);
    expect(problem).toContain("holds 1.005 SOL and needs 1.0");
    chain.airdrop(wallet.publicKey, SOL);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("reports a used-up day's limit until the day is over", async () => {
    const limits = { maxDailySpendLamports: 12_000_000n };
    const { launchpad, clock } = testLaunchpad({ limits });
    const book = new MemoryBook(() => utcDay(clock.now()));
    await launchpad.deploy(order(), new Journal(book), never);
    expect(launchpad.dayBudget()?.launchLamports).toBe(book.spentToday());
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(book), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("00:00 UTC");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: expect.stringContaining("limit of 0.012 SOL a day"),
    });
    clock.advance(86_400_000);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
  });

  test("reports an RPC that fails and a node that is behind", async () => {
    const { launchpad, clock, rpc } = testLaunchpad();
    rpc.spoilNext("getMultipleAccounts", "request lost");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC cannot be reached",
      walletLamports: null,
    });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    clock.advance(4_500);
    rpc.spoilNext("getHealth", "JSON-RPC error");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC is behind its cluster",
      walletLamports: 100n * SOL,
    });
  });

  test("reports a stalled node as behind, even if it calls itself healthy", async () => {
    const { launchpad, chain, clock, rpc } = testLaunchpad();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const slot = chain.slot();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.context.slot = slot;
      return answer;
    });
    clock.advance(30_000);
    const problem = "The Solana RPC is behind its cluster";
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    rpc.calm();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("checks the program again after a minute, or sooner while it has a problem", async () => {
    let asked = 0;
    let problem: string | null = null;
    const { launchpad, clock } = testLaunchpad({
      program: (inner) => ({
        ...inner,
        async checkConfig() {
          asked += 1;
          return problem;
        },
      }),
    });
    await launchpad.probe();
    clock.advance(59_000);
    await launchpad.probe();
    expect(asked).toBe(1);
    problem = "The program is not on this cluster";
    clock.advance(1_000);
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    clock.advance(5_000);
    problem = null;
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    expect(asked).toBe(3);
  });
});

test("no later slot for 30 s is a stall, however rarely and at which node it is asked for", () => {
  const clock = new ManualClock();
  const stalledNode = new StalledNode(clock);
  for (const [afterMs, slot, isStall] of [
    [0, 7, false],
    [29_999, 7, false],
    [1, 7, true],
    [0, 8, false],
    [60_000, 9, false],
    // A node that is behind does not hide one that makes progress.
    [20_000, 57, false],
    [20_000, 9, false],
  ] as const) {
    clock.advance(afterMs);
    expect([afterMs, slot, stalledNode.isStalledAt(slot)]).toEqual([afterMs, slot, isStall]);
  }
});

/** A launchpad whose database belongs to a cluster; null if it belongs to none yet. */
function boundTo(bound: (ownGenesis: string) => string | null) {
  const test = testLaunchpad();
  let genesis = bound(test.chain.genesisHash());
  const book = {
    async bindGenesis(hash: string) {
      genesis ??= hash;
      return genesis;
    },
  };
  const cluster = new ClusterIdentity(test.connection, book);
  return {
    ...test,
    own: test.launchpad,
    cluster,
    launchpad: test.restart(test.wallet, cluster),
    bound: () => genesis,
  };
}

const OTHER = Keypair.generate().publicKey.toBase58();

test("launches on the database's cluster ask for its genesis hash once", async () => {
  const { launchpad, rpc, mints } = boundTo((own) => own);
  await Promise.all([
    launchpad.deploy(order(), new Journal(), never),
    launchpad.deploy(order(), new Journal(), never),
  ]);
  await launchpad.deploy(order(), new Journal(), never);
  expect(mints()).toBe(3);
  expect(rpc.count("getGenesisHash")).toBe(1);
  expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null });
  expect(rpc.count("getGenesisHash")).toBe(1);
});

test("a database without a cluster is bound to the first one that answers", async () => {
  const { launchpad, chain, bound, rpc, cluster } = boundTo(() => null);
  expect(cluster.network).toBeNull();
  rpc.spoilNext("getGenesisHash", "garbage");
  await expect(launchpad.deploy(order(), new Journal(), never)).rejects.toThrow(
    "malformed answers",
  );
  rpc.rewrite("getGenesisHash", (answer) => ({ ...answer, result: "no hash" }));
  await expect(launchpad.deploy(order(), new Journal(), never)).rejects.toThrow(
    "malformed answers",
  );
  expect(bound()).toBeNull();
  rpc.calm();
  await launchpad.deploy(order(), new Journal(), never);
  expect(bound()).toBe(chain.genesisHash());
  expect(cluster.network).toBe("private");
});

test("on another cluster nothing is read or sent, and every call says why", async () => {
  const { own, launchpad, rpc, sandbox, chain } = boundTo(() => OTHER);
  const agent = Keypair.generate();
  const launch = order(agent.publicKey.toBase58());
  // A launch and its signed claim exist from before the settings changed.
  const token = await own.deploy(launch, new Journal(), never);
  chain.airdrop(agent.publicKey, SOL);
  await sandbox.trade({ ...token, side: "buy", lamports: SOL });
  const unsigned = await own.buildClaim(launch.wallet, [token]);
  if (!unsigned) throw new Error("there is nothing to claim");
  const claim = signBy(agent, unsigned);
  rpc.calls.length = 0;

  const problem = new RegExp(
    `^RPC_URL leads to a cluster of its own \\(genesis ${chain.genesisHash()}\\), but this server's ` +
      `launches are on a cluster of its own \\(genesis ${OTHER}\\)\\.`,
  );
  const calls = [
    () => launchpad.deploy(order(), new Journal(), never),
    () => launchpad.readFees(launch.wallet, [token]),
    () => launchpad.buildClaim(launch.wallet, [token]),
    () => launchpad.check(claim, claim.signature),
    () => launchpad.submit(claim, unsent, never),
  ];
  for (const call of calls) {
    const fault = await call().then(
      () => null,
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(ChainUnavailableError);
    expect((fault as Error).message).toMatch(problem);
  }
  expect(await launchpad.probe()).toEqual({
    ok: false,
    problem: expect.stringMatching(problem),
    walletLamports: null,
  });
  expect(rpc.calls).toEqual(["getGenesisHash"]);
});

test("until the cluster is known nothing is launched, and probes report a problem", async () => {
  const { launchpad, rpc } = boundTo((own) => own);
  rpc.spoil((method) => (method === "getGenesisHash" ? "request lost" : null));
  await expect(launchpad.deploy(order(), new Journal(), never)).rejects.toThrow(
    "The Solana RPC cannot be reached",
  );
  expect(await launchpad.probe()).toMatchObject({
    ok: false,
    problem: "The Solana RPC does not say which cluster it is",
  });
  expect(rpc.count("simulateTransaction")).toBe(0);
  rpc.calm();
  await launchpad.deploy(order(), new Journal(), never);
  expect(await launchpad.probe()).toMatchObject({ ok: true });
});

test("a probe reports a node that fails as it does without a bound cluster", async () => {
  const { launchpad, rpc } = boundTo((own) => own);
  rpc.spoil(() => "429");
  expect(await launchpad.probe()).toMatchObject({
    ok: false,
    // Which of the probe's reads is refused first does not matter.
    problem: expect.stringMatching(
      /^The Solana RPC limits our requests \(get\w+, HTTP 429\): raise the provider's limit, or set RPC_URL to another node$/,
    ),
  });
});

test("a probe waits for a node that returns its genesis hash slowly", async () => {
  const { restart, wallet, connection, chain, rpc } = boundTo((genesis) => genesis);
  const book = { bindGenesis: async () => chain.genesisHash() };
  const slow = {
    async getGenesisHash() {
      while (rpc.count("getMultipleAccounts") === 0) await turns();
      for (let turn = 0; turn < 100; turn++) await turns();
      return connection.getGenesisHash();
    },
  };
  const launchpad = restart(wallet, new ClusterIdentity(slow, book));
  expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null });
});
