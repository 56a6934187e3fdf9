import { SystemProgram } from "@solana/web3.js";
import type { RpcFetch, RpcOutcome } from "../../../solana/connection.ts";

export type Fault =
  | "request lost"
  | "answer lost"
  | "429"
  | "500"
  | "garbage"
  | "half a body"
  | "JSON-RPC error";

export const FAULTS: readonly Fault[] = [
  "request lost",
  "answer lost",
  "429",
  "500",
  "garbage",
  "half a body",
  "JSON-RPC error",
];

// biome-ignore lint/suspicious/noExplicitAny: tests change answers of many shapes
export type Answer = { result?: any; error?: any };

/** @param params the request's */
export type Rewrite = (answer: Answer, params: readonly unknown[]) => Answer;

/** Sits between a connection and a node, and spoils requests and answers as a test asks. */
export class HostileRpc {
  readonly calls: string[] = [];
  readonly outcomes: RpcOutcome[] = [];
  readonly #node: RpcFetch;
  #spoil: (method: string) => Fault | null = () => null;
  readonly #answers = new Map<string, (id: unknown) => Response>();
  #knowsConfirmed = true;
  readonly #rewrites = new Map<string, Rewrite>();

  constructor(node: RpcFetch) {
    this.#node = node;
  }

  spoil(decide: (method: string) => Fault | null): void {
    this.#spoil = decide;
  }

  /** Spoils the next `times` requests of a method. */
  spoilNext(method: string, fault: Fault, times = 1): void {
    let left = times;
    this.spoil((called) => (called === method && left-- > 0 ? fault : null));
  }

  rewrite(method: string, change: Rewrite): void {
    this.#rewrites.set(method, change);
  }

  /** Reports this bid for each slot. */
  bid(microLamports: number): void {
    this.rewrite("getRecentPrioritizationFees", (answer) => {
      for (const fee of answer.result) fee.prioritizationFee = microLamports;
      return answer;
    });
  }

  /** Answers to a method instead of the node, which does not get its requests. */
  answer(method: string, answer: (id: unknown) => Response): void {
    this.#answers.set(method, answer);
  }

  /** Acts like a node that knows both states only by the other name. */
  knowOnlyFinalized(): void {
    this.#knowsConfirmed = false;
  }

  calm(): void {
    this.#spoil = () => null;
    this.#answers.clear();
    this.#knowsConfirmed = true;
    this.#rewrites.clear();
  }

  count(method: string): number {
    return this.calls.filter((call) => call === method).length;
  }

  readonly fetch: RpcFetch = async (input, init) => {
    const request = JSON.parse(String(init.body));
    const method = String(request.method);
    this.calls.push(method);
    const fault = this.#spoil(method);
    let body = String(init.body);
    if (!this.#knowsConfirmed) {
      if (body.includes('ommitment":"confirmed"')) return unknownConfirmed(request.id);
      body = body.replaceAll('ommitment":"finalized"', 'ommitment":"confirmed"');
    }
    const instead = this.#answers.get(method);
    if (instead) return instead(request.id);
    if (fault === "request lost") throw new Error(`Unable to connect to ${input}`);
    if (fault === "429") {
      return new Response("slow down", { status: 429, headers: { "retry-after": "7" } });
    }
    if (fault === "500") return new Response("<html>oops</html>", { status: 500 });
    const response = await this.#node(input, { ...init, body });
    const text = await response.text();
    if (fault === "answer lost") throw new Error(`Connection to ${input} closed`);
    if (fault === "garbage") return new Response("<html>hello</html>");
    if (fault === "half a body") return new Response(text.slice(0, text.length / 2));
    if (fault === "JSON-RPC error") {
      const error = { code: -32005, message: "Node is behind by 42 slots" };
      return Response.json({ jsonrpc: "2.0", id: 1, error });
    }
    const change = this.#rewrites.get(method);
    if (!change) return new Response(text);
    return Response.json(change(JSON.parse(text) as Answer, request.params));
  };
}

function unknownConfirmed(id: unknown): Response {
  const error = { code: -32602, message: "Invalid params: unknown variant `confirmed`" };
  return Response.json({ jsonrpc: "2.0", id, error });
}

/** Lets simulations that fail seem to succeed, so that only the chain refuses the transaction. */
export function hideFailures(rpc: HostileRpc): void {
  rpc.rewrite("simulateTransaction", (answer) => {
    const { value } = answer.result;
    if (value.err === null) return answer;
    const account = { lamports: 1e10, owner: SystemProgram.programId, data: ["", "base64"] };
    const accounts = [{ ...account, executable: false, rentEpoch: 0 }];
    answer.result.value = { ...value, err: null, unitsConsumed: 250_000, accounts };
    return answer;
  });
}
