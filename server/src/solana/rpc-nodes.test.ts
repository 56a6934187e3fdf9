import { expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { ManualClock } from "../testing/manual-clock.ts";
import { openRpc } from "./rpc-failover.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";
import { rpcError, rpcResult, type Spoil } from "./testing/faulty-rpc.ts";
import {
  GENESIS,
  OTHER_GENESIS,
  openNodes,
  type RpcTestNode,
  startNodes,
} from "./testing/rpc-test-node.ts";

const HANGS = () => new Promise<never>(() => {});

const reads = (node: RpcTestNode | undefined) => node?.count("getBalance");

test("one node is asked directly and is not watched", async () => {
  using nodes = startNodes(1);
  const rpc = openRpc(nodes.map(({ url }) => url));
  await rpc.connect().getBalance(PublicKey.default);
  expect(rpc.nodes).toBeNull();
  expect(nodes[0].calls).toEqual(["getBalance"]);
});

test("one URL may lead to many nodes: a read is made again, a slot later, while one is behind", async () => {
  using nodes = startNodes(1);
  const [node] = nodes;
  const clock = new ManualClock();
  let behind = 4;
  node.spoil(() => (behind-- > 0 ? rpcError(-32016, "Minimum context slot not reached") : null));
  const connection = openRpc([node.url], { clock }).connect();
  const balance = connection.getBalance(PublicKey.default);
  for (let slot = 0; slot < 4; slot++) await clock.pass(400);
  expect(await balance).toBe(1_000);
  behind = 5;
  const refused = connection.getBalance(PublicKey.default).catch(String);
  for (let slot = 0; slot < 4; slot++) await clock.pass(400);
  expect(await refused).toContain("(behind)");
  expect(reads(node)).toBe(10);
});

test("reads stay with one node", async () => {
  using server = await openNodes(3);
  for (let i = 0; i < 10; i++) await server.read();
  expect(server.nodes.map(reads)).toEqual([10, 0, 0]);
});

test("nodes that do not say what priority fees others pay are used for all else", async () => {
  using server = await openNodes(2);
  for (const node of server.nodes) {
    node.spoil("429", "getRecentPrioritizationFees");
  }
  await expect(server.connection.getRecentPrioritizationFees()).rejects.toThrow("limited");
  await server.read();
  expect(server.rpc.describeProblems()).toBeNull();
  expect(server.nodes.map(reads)).toEqual([1, 0]);
});

test.each<[string, Spoil, problem: string]>([
  ["HTTP 500", () => new Response("<html>", { status: 500 }), "answers with an error"],
  ["HTTP 429", () => new Response("", { status: 429 }), "limits our requests"],
  ["the result null", () => rpcResult(null), "gives malformed answers"],
  ["that it is unhealthy", () => rpcError(-32005, "Node is unhealthy"), "is behind its cluster"],
])(
  "a node that answers %s is left out until it is well, and reads stay with the next",
  async (_, fault, problem) => {
    using server = await openNodes(2);
    const [bad] = server.nodes;
    await server.read();
    bad.spoil(fault);
    expect(await server.read()).toBe(1_000);
    expect(server.changes.seen).toEqual([`node 1 ${problem}`]);
    expect(server.rpc.describeProblems()).toBe(`RPC: node 1 ${problem}`);
    const before = reads(bad);
    await server.read();
    expect(reads(bad)).toBe(before);
    bad.spoil(() => null);
    await server.roundsUntil("node 1 is back");
    expect(server.rpc.describeProblems()).toBeNull();
    await server.read();
    expect(reads(bad)).toBe(before);
    expect(reads(server.nodes[1])).toBe(3);
  },
);

test("a node that hangs delays one read, and is then left out", async () => {
  using server = await openNodes(2);
  const [bad] = server.nodes;
  bad.spoil(HANGS);
  const reading = server.read();
  await bad.untilCalled("getBalance", 1);
  await server.clock.pass(PATIENCE_MS);
  expect(await reading).toBe(1_000);
  expect(server.changes.seen).toEqual(["node 1 does not answer in time"]);
  await server.read();
  expect(reads(bad)).toBe(1);
});

test("a node with Retry-After gets no request before that", async () => {
  using server = await openNodes(2);
  const [bad] = server.nodes;
  await server.read();
  bad.spoil(() => new Response("", { status: 429, headers: { "retry-after": "60" } }));
  await server.read();
  const before = bad.calls.length;
  await server.rounds(10);
  await server.read();
  expect(bad.calls.length).toBe(before);
});

test("without another node, a limited one is not asked, and the error says for how long", async () => {
  using server = await openNodes(2);
  await server.read();
  for (const node of server.nodes) {
    node.spoil(() => new Response("", { status: 429, headers: { "retry-after": "60" } }));
  }
  await server.read().catch(() => {});
  const before = server.nodes.map((node) => node.calls.length);
  const error = await server.connection
    .getMultipleAccountsInfo([PublicKey.default])
    .catch((e) => e);
  expect(error).toMatchObject({ kind: "limited", retryAfterSeconds: 60 });
  expect(server.nodes.map((node) => node.calls.length)).toEqual(before);
});

test("nodes that have all failed are asked again by the next request", async () => {
  using server = await openNodes(2);
  await server.read();
  for (const node of server.nodes) node.spoil(() => new Response("", { status: 502 }));
  await expect(server.read()).rejects.toThrow("HTTP 502");
  for (const node of server.nodes) node.spoil(() => null);
  expect(await server.read()).toBe(1_000);
  await server.roundsUntil("node 1 is back");
});

test.each([
  [400, 30],
  [200, 60],
])(
  "at slots of %i ms a node that is %i behind is used, and one further behind not until it has nearly caught up",
  async (slotMs, lag) => {
    using server = await openNodes(3, { msPerSlot: () => slotMs });
    const [late, good] = server.nodes;
    late.slot = good.slot - lag;
    await server.rounds(3);
    expect(server.changes.seen).toEqual([]);
    late.slot -= 1;
    await server.roundsUntil("node 1 is behind its cluster");
    await server.read();
    expect(reads(late)).toBe(0);
    late.slot = good.slot - lag;
    await server.rounds(5);
    expect(server.changes.seen).toHaveLength(1);
    late.slot = good.slot - lag / 2;
    await server.roundsUntil("node 1 is back");
  },
);

test("a node that is behind stays out although the better ones fail", async () => {
  using server = await openNodes(2);
  const [late, good] = server.nodes;
  late.slot -= 200;
  await server.roundsUntil("node 1 is behind its cluster");
  expect(await server.read()).toBe(1_000);
  good.goDown();
  await expect(server.read()).rejects.toThrow("getBalance failed");
  await expect(server.slotsUntil(server.read())).rejects.toThrow("it answers from an older slot");
  // Even when it is the only node that answers, it is behind.
  await server.rounds(2);
  expect(server.rpc.reports()[0]).toEqual({ name: "node 1", problem: "is behind its cluster" });
});

test("no answer is older than an earlier one", async () => {
  using server = await openNodes(2);
  const [first, second] = server.nodes;
  second.slot = 995;
  expect(await server.read()).toBe(1_000);
  first.goDown();
  second.spoil((method) => {
    if (method === "getBalance" && second.slot < 1_003) second.slot += 2;
    return null;
  });
  // It is asked until it has caught up.
  expect(await server.slotsUntil(server.read())).toBe(1_001);
  expect(reads(second)).toBe(3);
});

test("a node that names a false slot does not leave out two others, which judge what expired", async () => {
  using server = await openNodes(3);
  const [liar] = server.nodes;
  await server.read();
  liar.slot = 9e15;
  await server.roundsUntil("node 1 gives malformed answers");
  expect(await server.read()).toBe(1_000);
  expect(server.changes.seen).toHaveLength(1);
});

test("a node that two others fall far behind is believed", async () => {
  using server = await openNodes(3);
  const [good] = server.nodes;
  for (const node of server.nodes) node.slot = 2e6;
  await server.rounds(1);
  good.slot += 10;
  for (const node of server.nodes) if (node !== good) node.slot = 1_000;
  await server.roundsUntil("node 3 is behind its cluster");
  expect(await server.read()).toBe(2e6 + 10);
  expect(server.changes.seen).toEqual([
    "node 2 is behind its cluster",
    "node 3 is behind its cluster",
  ]);
});

test("a node of another cluster is left out for good and named", async () => {
  using nodes = startNodes(3);
  const [other] = nodes;
  other.genesis = OTHER_GENESIS;
  using server = await openNodes(nodes, { genesisHash: GENESIS });
  expect(await server.read()).toBe(1_000);
  await server.roundsUntil("node 1 is on another cluster: devnet");
  expect(await server.connection.getGenesisHash()).toBe(GENESIS);
  await server.rounds(5);
  expect(new Set(other?.calls)).toEqual(new Set(["getGenesisHash"]));
  expect(server.rpc.describeProblems()).toBe("RPC: node 1 is on another cluster: devnet");
});

test("if all nodes are of another cluster, the error names it", async () => {
  using nodes = startNodes(2);
  for (const node of nodes) node.genesis = OTHER_GENESIS;
  using server = await openNodes(nodes, { genesisHash: GENESIS });
  expect(await server.connection.getGenesisHash()).toBe(OTHER_GENESIS);
  await expect(server.read()).rejects.toThrow("other clusters");
});

test("as long as the cluster is not known, only the first node names it", async () => {
  using nodes = startNodes(2);
  const [first, other] = nodes;
  other.genesis = OTHER_GENESIS;
  first.goDown();
  using server = await openNodes(nodes);
  await expect(server.read()).rejects.toThrow("getGenesisHash failed");
  expect(nodes.map(reads)).toEqual([0, 0]);
  first.calm();
  expect(await server.read()).toBe(1_000);
  await server.roundsUntil("node 2 is on another cluster: devnet");
  expect(nodes.map(reads)).toEqual([1, 0]);
});
