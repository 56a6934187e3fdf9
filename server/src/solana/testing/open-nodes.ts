import { PublicKey } from "@solana/web3.js";
import { ManualClock } from "../../testing/manual-clock.ts";
import { RpcFailover } from "../rpc-failover.ts";
import { ROUND_MS } from "../rpc-node.ts";
import { RpcNodes, type RpcNodesOptions } from "../rpc-nodes.ts";
import { nextTurn, type RpcTestNode } from "./rpc-test-node.ts";

/**
 * Connects to several nodes with a clock that stands still. It advances only while no request is in
 * flight, so that a slow machine makes no request late.
 */
export function connectNodes(
  nodes: readonly RpcTestNode[],
  { onRpc, ...options }: RpcNodesOptions = {},
) {
  const clock = new ManualClock();
  const seen: string[] = [];
  let underWay = 0;
  const urls = nodes.map((node) => node.url);
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
  const connection = new RpcFailover(rpc).connect();
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

export async function openNodes(nodes: readonly RpcTestNode[], options?: RpcNodesOptions) {
  const server = connectNodes(nodes, options);
  await server.untilIdle();
  return server;
}
