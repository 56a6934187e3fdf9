import { PublicKey, type TransactionError } from "@solana/web3.js";
import { ManualClock } from "../../testing/manual-clock.ts";
import { RpcFailover } from "../rpc-failover.ts";
import { ROUND_MS } from "../rpc-node.ts";
import { RpcNodes, type RpcNodesOptions } from "../rpc-nodes.ts";
import { FaultyRpc, rpcError, rpcResult } from "./faulty-rpc.ts";

export const GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x";
export const OTHER_GENESIS = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
export const SIGNATURE = "5".repeat(87);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const newState = () => ({
  genesis: GENESIS,
  slot: 1_000,
  blockHeight: 900,
  statuses: new Map<string, object>(),
  transactions: new Map<string, object>(),
});

/** A node over HTTP whose state a test sets. */
export type RpcTestNode = FaultyRpc & ReturnType<typeof newState>;

function startNode(): RpcTestNode {
  const rpc = new FaultyRpc(async (_, init) => {
    const { method, params } = JSON.parse(String(init.body));
    const result = resultOf(node, method, params);
    return result === undefined ? rpcError(-32601, "Method not found") : rpcResult(result);
  });
  const node: RpcTestNode = Object.assign(rpc, newState());
  return node;
}

function resultOf(
  { genesis, slot, blockHeight, statuses, transactions }: RpcTestNode,
  method: string,
  [first]: readonly unknown[],
): unknown {
  const context = { slot };
  const names = [first].flat().map(String);
  switch (method) {
    case "getGenesisHash":
      return genesis;
    case "getSlot":
      return slot;
    case "getVersion":
      return { "solana-core": "3.0.0", "feature-set": 0 };
    case "getHealth":
      return "ok";
    case "getBalance":
      return { context, value: slot };
    case "getEpochInfo":
      return { absoluteSlot: slot, blockHeight, epoch: 0, slotIndex: 0, slotsInEpoch: 432_000 };
    case "getSignatureStatuses":
      return { context, value: names.map((name) => statuses.get(name) ?? null) };
    case "getTransaction":
      return transactions.get(names[0] ?? "") ?? null;
    case "simulateTransaction":
      return { context, value: { err: null, logs: [] } };
    case "sendTransaction":
      return SIGNATURE;
    default:
      return undefined;
  }
}

/** Makes the error of a preflight whose simulation failed with `err`. */
export const refusal = (err: TransactionError) =>
  rpcError(-32002, "Transaction simulation failed", { err, logs: [] });

/** The type has at least four nodes, so that tests can destructure them. */
type TestNodes = [RpcTestNode, RpcTestNode, RpcTestNode, RpcTestNode, ...RpcTestNode[]];

export function startNodes(count: number): TestNodes & Disposable {
  const nodes = Array.from({ length: count }, startNode) as TestNodes;
  return Object.assign(nodes, {
    [Symbol.dispose]: () => {
      for (const node of nodes) void node[Symbol.asyncDispose]();
    },
  });
}

/**
 * Connects to several nodes with a clock that stands still. It advances only while no request is in
 * flight, so that a slow machine makes no request late.
 */
function connectNodes(nodes: readonly RpcTestNode[], { onRpc, ...options }: RpcNodesOptions = {}) {
  const clock = new ManualClock();
  const seen: string[] = [];
  let underWay = 0;
  // Contains the text `hunter2`, which must never appear in any output.
  const urls = nodes.map(({ url }) => `${url}/?api-key=hunter2`);
  const rpc = new RpcNodes(urls, {
    clock,
    ...options,
    onChange: (node, problem) => seen.push(`${node} ${problem ?? "is back"}`),
    fetch: (url, init) => {
      underWay += 1;
      return fetch(url, init);
    },
    onRpc: (...outcome) => {
      underWay -= 1;
      onRpc?.(...outcome);
    },
  });
  const connection = new RpcFailover(rpc).connect({});
  /** Waits until all requests are answered, except those that nodes leave hanging. */
  const untilIdle = async (hanging = 0) => {
    do await nextTurn();
    while (underWay > hanging);
  };
  const pass = async (milliseconds: number) => {
    await untilIdle();
    clock.advance(milliseconds);
    await untilIdle();
  };
  return {
    clock,
    changes: {
      seen,
      async until(text: string) {
        while (!seen.includes(text)) await nextTurn();
      },
    },
    rpc,
    connection,
    untilIdle,
    /** Returns the slot of the answer. */
    read: () => connection.getBalance(PublicKey.default),
    async rounds(count: number) {
      for (let round = 0; round < count; round++) await pass(ROUND_MS);
    },
    /** Compares the nodes until a change is reported. */
    async roundsUntil(text: string) {
      while (!seen.includes(text)) await pass(ROUND_MS);
    },
    /** Advances by slots until the work is done. */
    async slotsUntil<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      while (!isDone) await pass(rpc.msPerSlot);
      return await work;
    },
    [Symbol.dispose]: () => rpc.close(),
  };
}

/** Connects to these nodes, or starts this many. */
export async function openNodes(
  of: number | ReturnType<typeof startNodes>,
  options?: RpcNodesOptions,
) {
  const nodes = typeof of === "number" ? startNodes(of) : of;
  const server = connectNodes(nodes, options);
  await server.untilIdle();
  return {
    ...server,
    nodes,
    [Symbol.dispose]() {
      server[Symbol.dispose]();
      nodes[Symbol.dispose]();
    },
  };
}
