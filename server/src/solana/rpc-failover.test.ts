import { expect, test } from "bun:test";
import { PATIENCE_MS } from "./rpc-nodes.ts";
import { simulateSigned } from "./simulate.ts";
import { rpcError, type Spoil } from "./testing/faulty-rpc.ts";
import { openNodes, type RpcTestNode, refusal, SIGNATURE } from "./testing/rpc-test-node.ts";

const BYTES = Buffer.from("the same bytes");
const NO_MONEY = () => refusal("InsufficientFundsForFee");

/** Opens a connection to nodes that have all answered, so that a slot is known. */
async function open(count: number) {
  const server = await openNodes(count);
  const { connection } = server;
  await server.read();
  return {
    ...server,
    send: () => connection.sendRawTransaction(BYTES, { skipPreflight: true }),
  };
}

function whenSent(nodes: readonly RpcTestNode[], ...answers: (Spoil | null)[]) {
  for (const [index, node] of nodes.entries()) {
    node.spoil(answers[index] ?? (() => null), "sendTransaction");
  }
}

const sent = (nodes: readonly RpcTestNode[]) => nodes.map((node) => node.count("sendTransaction"));

test("a transaction goes to all nodes at once, with the same bytes", async () => {
  using server = await open(3);
  expect(await server.send()).toBe(SIGNATURE);
  await Promise.all(server.nodes.map((node) => node.untilCalled("sendTransaction", 1)));
  expect(sent(server.nodes)).toEqual([1, 1, 1]);
  const bytes = server.nodes.map(({ lastParams }) => lastParams[0]);
  expect(new Set(bytes)).toEqual(new Set([BYTES.toString("base64")]));
});

test("the first node that takes a transaction counts, whatever the others answer", async () => {
  using server = await open(4);
  server.nodes[3].goDown();
  whenSent(server.nodes, NO_MONEY, () => new Promise<never>(() => {}), null);
  expect(await server.send()).toBe(SIGNATURE);
});

const ANSWERS: readonly [string, Spoil][] = [
  ["HTTP 400", () => new Response("<html>", { status: 400 })],
  ["HTTP 429", () => new Response("", { status: 429 })],
  ["HTTP 500", () => new Response("<html>", { status: 500 })],
  ["an HTML page", () => new Response("<html>")],
  ["-32602", () => rpcError(-32602, "invalid transaction")],
  ["-32603", () => rpcError(-32603, "Internal error")],
  ["-32005", () => rpcError(-32005, "Node is unhealthy")],
  ["nothing", () => new Promise<never>(() => {})],
];

test.each(ANSWERS)(
  "a node that answers an agent's bytes with %s is not left out",
  async (_, fault) => {
    using server = await open(2);
    const [first] = server.nodes;
    first.spoil(fault, "simulateTransaction", "sendTransaction");
    const asking = Promise.allSettled([server.send(), simulateSigned(server.connection, BYTES)]);
    await first.untilCalled("simulateTransaction", 1);
    await server.untilIdle(2);
    server.clock.advance(PATIENCE_MS);
    await asking;
    await server.untilIdle(2);
    expect(server.rpc.describeProblems()).toBeNull();
    expect(server.changes.seen).toEqual([]);
  },
);

test("a node that is left out is sent nothing", async () => {
  using server = await open(2);
  server.nodes[1].goDown();
  await server.roundsUntil("node 2 cannot be reached");
  server.nodes[0].calls.splice(0);
  await server.send();
  expect(server.nodes[0].calls).toEqual(["sendTransaction"]);
  expect(server.changes.seen).toHaveLength(1);
});

test("a transaction that no node takes is an error of one of them", async () => {
  using server = await open(2);
  whenSent(server.nodes, () => new Response("<html>"), NO_MONEY);
  await expect(server.send()).rejects.toMatchObject({ kind: "refused", code: -32002 });
  expect(sent(server.nodes)).toEqual([1, 1]);
});

test("a search of the history that takes each node longer than its patience has its time", async () => {
  using server = await open(2);
  const searched = Promise.withResolvers<void>();
  for (const node of server.nodes.slice(0, 2)) {
    node.spoil((_, pass) => searched.promise.then(() => pass()), "getTransaction");
  }
  const reading = server.connection.getTransaction(SIGNATURE, {
    maxSupportedTransactionVersion: 0,
  });
  await Promise.all(server.nodes.map((node) => node.untilCalled("getTransaction", 1)));
  server.clock.advance(PATIENCE_MS);
  searched.resolve();
  expect(await reading).toBeNull();
});

test("a node that hangs does not hold the answer of the others", async () => {
  using server = await open(2);
  server.nodes[1].spoil(() => new Promise<never>(() => {}), "getTransaction");
  const reading = server.connection.getTransaction(SIGNATURE, {
    maxSupportedTransactionVersion: 0,
  });
  await server.nodes[1].untilCalled("getTransaction", 1);
  await server.untilIdle(1);
  server.clock.advance(PATIENCE_MS);
  expect(await reading).toBeNull();
});
