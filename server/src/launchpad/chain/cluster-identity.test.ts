import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { turns } from "../../testing/scripted-launchpad.ts";
import { ChainUnavailableError } from "../errors.ts";
import { signBy } from "../signing/testing/steps.ts";
import { ClusterIdentity } from "./cluster.ts";
import { Journal, unsent } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

/** A launchpad whose database belongs to a cluster; null if it belongs to none yet. */
function setUp(bound: (ownGenesis: string) => string | null) {
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
  const { launchpad, rpc, mints } = setUp((own) => own);
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
  const { launchpad, chain, bound, rpc, cluster } = setUp(() => null);
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
  const { own, launchpad, rpc, sandbox, chain } = setUp(() => OTHER);
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
  const { launchpad, rpc } = setUp((own) => own);
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
  const { launchpad, rpc } = setUp((own) => own);
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
  const { restart, wallet, connection, chain, rpc } = setUp((genesis) => genesis);
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
