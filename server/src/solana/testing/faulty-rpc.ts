import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SystemProgram } from "@solana/web3.js";
import type { LocalChain } from "../../localnet/chain.ts";
import { createRpcHandler } from "../../localnet/rpc/handler.ts";
import type { RpcFetch, RpcOutcome } from "../connection.ts";
import { nameOf } from "../message.ts";

/** What can go wrong with one request. */
export const FAULTS = [
  "request lost",
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
  "JSON-RPC error",
] as const;

export type Fault = (typeof FAULTS)[number];

/** Answers of a web server, a proxy or a broken node with status 200. */
const GARBAGE = [
  "<html><body>It works!</body></html>",
  "",
  "null",
  "[]",
  '{"jsonrpc":"2.0","id":"1"}',
  '{"jsonrpc":"2.0","id":"1","result":null}',
  '{"jsonrpc":"2.0","id":"1","result":{"context":{"slot":"x"},"value":"y"}}',
  '{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Internal error"}}',
];

/**
 * Decides what goes wrong with a request: a fault, another answer, or null for nothing. A promise of
 * null cuts the connection.
 *
 * @param pass asks the node, or another one
 */
export type Spoil = (
  method: string,
  pass: (node?: RpcFetch) => Promise<Response>,
) => Fault | Response | Promise<Response | null> | null;

// biome-ignore lint/suspicious/noExplicitAny: tests change answers of many shapes
export type Answer = { result?: any; error?: any };

/** @param params the request's */
export type Rewrite = (answer: Answer, params: readonly unknown[]) => Answer;

/**
 * A node that spoils requests and answers as a test asks: for a connection in this process by
 * `fetch`, for others by HTTP at `url`.
 */
export class FaultyRpc implements AsyncDisposable {
  /** The methods asked for, in their order. */
  readonly calls: string[] = [];
  /** The parameters of the last request. */
  lastParams: readonly unknown[] = [];
  /** What connections reported of their requests, if they were told to. */
  readonly outcomes: RpcOutcome[] = [];
  /** How many requests were spoiled. */
  faults = 0;
  readonly #node: RpcFetch;
  #spoil: Spoil = () => null;
  #knowsConfirmed = true;
  #garbageServed = 0;
  readonly #rewrites = new Map<string, Rewrite>();
  #server: Server | null = null;

  constructor(node: RpcFetch) {
    this.#node = node;
  }

  /** The RPC of an embedded chain. Like a real node, it has processed more than it has confirmed. */
  static of(chain: LocalChain): FaultyRpc {
    const handle = createRpcHandler(chain);
    return new FaultyRpc(async (url, init) => {
      const response = await handle(new Request(url, init));
      if (!String(init.body).includes("getSignatureStatuses")) return response;
      const answer = (await response.json()) as Answer;
      if (answer.result) answer.result.context.slot += 2;
      return Response.json(answer);
    });
  }

  /** Another program's RPC. */
  static before(url: string): FaultyRpc {
    return new FaultyRpc((_, init) => fetch(url, init));
  }

  /** Starts to listen when it is first read. */
  get url(): string {
    this.#server ??= createServer((request, response) => {
      void this.#serve(request, response);
    }).listen(0, "127.0.0.1");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param only the methods whose requests it spoils. Default: all */
  spoil(how: Fault | Spoil, ...only: readonly string[]): void {
    const decide = typeof how === "string" ? () => how : how;
    this.#spoil = (method, pass) =>
      only.length === 0 || only.includes(method) ? decide(method, pass) : null;
  }

  /** Spoils the next `times` requests of a method. */
  spoilNext(method: string, fault: Fault, times = 1): void {
    let left = times;
    this.spoil(() => (left-- > 0 ? fault : null), method);
  }

  rewrite(method: string, change: Rewrite): void {
    this.#rewrites.set(method, change);
  }

  /** Reports this unit price, in micro-lamports, for each slot. */
  unitPrice(microLamports: number): void {
    this.rewrite("getRecentPrioritizationFees", (answer) => {
      for (const fee of answer.result) fee.prioritizationFee = microLamports;
      return answer;
    });
  }

  /** Acts like a node that knows both states only by the other name. */
  knowOnlyFinalized(): void {
    this.#knowsConfirmed = false;
  }

  /** Cuts every connection from now on. Keeps the port, which another program could take. */
  goDown(): void {
    this.spoil("request lost");
  }

  /** Takes transactions and drops them, as a cluster does that lands nothing. */
  landNothing(): void {
    this.spoil(
      () => rpcResult(nameOf(Buffer.from(String(this.lastParams[0]), "base64"))),
      "sendTransaction",
    );
  }

  calm(): void {
    this.#spoil = () => null;
    this.#knowsConfirmed = true;
    this.#rewrites.clear();
  }

  count(method: string): number {
    return this.calls.filter((call) => call === method).length;
  }

  async untilCalled(method: string, times = 1): Promise<void> {
    while (this.count(method) < times) await new Promise((resolve) => setImmediate(resolve));
  }

  readonly fetch: RpcFetch = async (url, init) => {
    const answer = await this.#answer(url, String(init.body));
    if (answer === null) throw new Error(`Unable to connect to ${url}`);
    return answer;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** @returns null if the connection is cut */
  async #answer(url: string, sent: string): Promise<Response | null> {
    const { method, params = [] } = JSON.parse(sent);
    this.calls.push(method);
    this.lastParams = params;
    let body = sent;
    const pass = (node = this.#node) =>
      node(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const fault = this.#spoil(method, pass);
    if (fault !== null) this.faults++;
    if (typeof fault === "object" && fault !== null) return fault;
    if (!this.#knowsConfirmed) {
      if (body.includes('ommitment":"confirmed"')) {
        return rpcError(-32602, "Invalid params: unknown variant `confirmed`");
      }
      body = body.replaceAll('ommitment":"finalized"', 'ommitment":"confirmed"');
    }
    switch (fault) {
      case "request lost":
        return null;
      case "429":
        return new Response("slow down", { status: 429 });
      case "429 with Retry-After":
        return new Response("slow down", { status: 429, headers: { "retry-after": "7" } });
      case "500":
        return new Response(`<html>Error at ${url}</html>`, { status: 500 });
      case "garbage":
        return new Response(GARBAGE[this.#garbageServed++ % GARBAGE.length]);
      case "JSON-RPC error":
        return rpcError(-32005, "Node is behind by 42 slots");
    }
    const answer = await (await pass()).text();
    if (fault === "answer lost") return null;
    if (fault === "half a body") return half(answer);
    const change = this.#rewrites.get(method);
    return change ? Response.json(change(JSON.parse(answer), params)) : new Response(answer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(this.url, await text(request)).catch(() => null);
    if (answer === null) return void response.destroy();
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const isCut = Number(answer.headers.get("content-length") ?? 0) > body.length;
    if (isCut) response.write(body, () => response.destroy());
    else response.end(body);
  }
}

export function rpcResult(result: unknown): Response {
  return Response.json({ jsonrpc: "2.0", id: 1, result });
}

export function rpcError(code: number, message: string, data?: unknown): Response {
  return Response.json({ jsonrpc: "2.0", id: 1, error: { code, message, data } });
}

/** By its length, the rest of the body is missing. */
function half(body: string): Response {
  const bytes = Buffer.from(body);
  const headers = { "content-length": String(bytes.length) };
  return new Response(bytes.subarray(0, bytes.length / 2), { headers });
}

/** Lets simulations that fail seem to succeed, so that only the chain refuses the transaction. */
export function hideFailures(rpc: FaultyRpc): void {
  rpc.rewrite("simulateTransaction", (answer) => {
    const { value } = answer.result;
    if (value.err === null) return answer;
    const account = { lamports: 1e10, owner: SystemProgram.programId, data: ["", "base64"] };
    const accounts = [{ ...account, executable: false, rentEpoch: 0 }];
    const balances = { preBalances: [1.02e10], postBalances: [1e10] };
    answer.result.value = { ...value, ...balances, err: null, unitsConsumed: 250_000, accounts };
    return answer;
  });
}
