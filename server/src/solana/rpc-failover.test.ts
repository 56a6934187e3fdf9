import { expect, test } from "bun:test";
import { RpcError } from "./rpc-answer.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";
import { simulateSigned } from "./simulate.ts";
import { rpcError, type Spoil } from "./testing/faulty-rpc.ts";
import { openNodes, type RpcTestNode, refusal, SIGNATURE } from "./testing/rpc-test-node.ts";
import { sendRefusalKind } from "./transaction-error.ts";

const BYTES = Buffer.from("the same bytes");
const NO_MONEY = () => refusal("InsufficientFundsForFee");
const NO_BLOCKHASH = () => refusal("BlockhashNotFound");

/** Opens a connection to nodes that have all answered, so that a slot is known. */
async function open(count: number) {
  const server = await openNodes(count);
  const { connection } = server;
  await server.read();
  return {
    ...server,
    send: (skipPreflight = false) =>
      connection.sendRawTransaction(BYTES, {
        skipPreflight,
        ...(!skipPreflight && { preflightCommitment: "confirmed" }),
      }),
    /** Returns the kind of the refusal, or any other error. */
    async refused(): Promise<unknown> {
      const error: unknown = await this.send().catch((each: unknown) => each);
      return error instanceof RpcError && error.code !== null ? sendRefusalKind(error) : error;
    },
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

test.each<[string, Spoil, unknown]>([
  ["for the same reason counts", NO_MONEY, "payer"],
  [
    "for another reason decides nothing",
    () => refusal({ InstructionError: [0, { Custom: 1 }] }),
    expect.objectContaining({ kind: "broken" }),
  ],
  ["because it has landed outweighs it", () => refusal("AlreadyProcessed"), "duplicate"],
  [
    "by garbage decides nothing",
    () => new Response("<html>"),
    expect.objectContaining({ name: "RpcError", kind: "garbage" }),
  ],
])("beside a refusal, one of the other node %s", async (_, answer, outcome) => {
  using server = await open(2);
  whenSent(server.nodes, NO_MONEY, answer);
  expect(await server.refused()).toEqual(outcome);
  expect(sent(server.nodes)).toEqual([1, 1]);
});

test("a refusal does not count while a node is silent, which may have passed the transaction on", async () => {
  using server = await open(2);
  whenSent(server.nodes, NO_MONEY, () => new Promise<never>(() => {}));
  const refused = server.refused();
  await server.nodes[1].untilCalled("sendTransaction", 1);
  await server.untilIdle(1);
  server.clock.advance(PATIENCE_MS);
  expect(await refused).toMatchObject({ name: "RpcError", kind: "timeout" });
});

test("a transaction is sent again while all nodes are behind its blockhash", async () => {
  using server = await open(2);
  const behind = () => rpcError(-32016, "Minimum context slot has not been reached");
  let tries = 0;
  whenSent(server.nodes, NO_BLOCKHASH, () => (tries++ < 2 ? behind() : null));
  expect(await server.slotsUntil(server.send())).toBe(SIGNATURE);
  expect(sent(server.nodes)).toEqual([3, 3]);
});

test("a transaction whose blockhash all nodes refuse is sent to each at most 4 times", async () => {
  using server = await open(2);
  whenSent(server.nodes, NO_BLOCKHASH, NO_BLOCKHASH);
  expect(await server.slotsUntil(server.refused())).toBe("blockhash");
  expect(sent(server.nodes)).toEqual([4, 4]);
});

test("a preflight must be as recent as what is known, and a send without one may be older", async () => {
  using server = await open(2);
  const config = () => server.nodes[0].lastParams[1];
  await server.send();
  expect(config()).toMatchObject({ minContextSlot: 1_000, preflightCommitment: "confirmed" });
  await server.send(true);
  expect(config()).not.toHaveProperty("minContextSlot");
});
