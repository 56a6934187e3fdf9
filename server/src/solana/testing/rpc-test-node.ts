import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { PublicKey, type TransactionError } from "@solana/web3.js";
import { ManualClock } from "../../testing/manual-clock.ts";
import { RpcFailover } from "../rpc-failover.ts";
import { ROUND_MS } from "../rpc-node.ts";
import { RpcNodes, type RpcNodesOptions } from "../rpc-nodes.ts";

export const GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x";
export const OTHER_GENESIS = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
export const SIGNATURE = "5".repeat(87);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A JSON-RPC node over HTTP whose state a test sets. */
export class RpcTestNode {
  readonly calls: Call[] = [];
  genesis = GENESIS;
  slot = 1_000;
  blockHeight = 900;
  readonly statuses = new Map<string, object>();
  readonly transactions = new Map<string, object>();
  /** Replaces the node's answer unless it returns null. */
  fault: (method: string) => Response | Promise<Response> | null = () => null;
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  }).listen(0, "127.0.0.1");
  #isDown = false;

  /** Contains the text `hunter2`, which must never appear in any output. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/?api-key=hunter2`;
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  async untilCalled(method: string, times: number): Promise<void> {
    while (this.count(method) < times) await nextTurn();
  }

  /** Ends every connection from now on. Keeps the port, which another program could take. */
  goDown(): void {
    this.#isDown = true;
    this.#server.closeAllConnections();
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void request.socket.destroy();
    const answer = await this.#answer((await json(request)) as Call);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  }

  async #answer(call: Call): Promise<Response> {
    this.calls.push(call);
    const faulty = await this.fault(call.method);
    if (faulty) return faulty;
    const result = this.#result(call);
    return result === undefined ? rpcError(-32601, "Method not found") : rpcResult(result);
  }

  #result({ method, params }: Call): unknown {
    const context = { slot: this.slot };
    const [first] = params;
    const names = Array.isArray(first) ? first.map(String) : [String(first)];
    switch (method) {
      case "getGenesisHash":
        return this.genesis;
      case "getSlot":
        return this.slot;
      case "getVersion":
        return { "solana-core": "3.0.0", "feature-set": 0 };
      case "getHealth":
        return "ok";
      case "getBalance":
        return { context, value: this.slot };
      case "getEpochInfo":
        return {
          absoluteSlot: this.slot,
          blockHeight: this.blockHeight,
          epoch: 0,
          slotIndex: 0,
          slotsInEpoch: 432_000,
        };
      case "getSignatureStatuses":
        return { context, value: names.map((name) => this.statuses.get(name) ?? null) };
      case "getTransaction":
        return this.transactions.get(names[0] ?? "") ?? null;
      case "simulateTransaction":
        return { context, value: { err: null, logs: [] } };
      case "sendTransaction":
        return SIGNATURE;
      default:
        return undefined;
    }
  }
}

export const rpcResult = (result: unknown) => Response.json({ jsonrpc: "2.0", id: "1", result });

export const rpcError = (code: number, message: string, data?: unknown) =>
  Response.json({ jsonrpc: "2.0", id: "1", error: { code, message, data } });

/** Makes the error of a preflight whose simulation failed with `err`. */
export const refusal = (err: TransactionError) =>
  rpcError(-32002, "Transaction simulation failed", { err, logs: [] });

/** The type has at least four nodes, so that tests can destructure them. */
type TestNodes = [RpcTestNode, RpcTestNode, RpcTestNode, RpcTestNode, ...RpcTestNode[]];

export function startNodes(count: number): TestNodes & Disposable {
  const nodes = Array.from({ length: count }, () => new RpcTestNode()) as TestNodes;
  return Object.assign(nodes, {
    [Symbol.dispose]: () => {
      for (const node of nodes) node[Symbol.dispose]();
    },
  });
}

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
