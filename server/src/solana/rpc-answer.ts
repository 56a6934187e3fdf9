import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { SendTransactionError } from "@solana/web3.js";
import { type RpcErrorAnswer, RpcFailure } from "./connection.ts";
import { readSendRefusal, type SendRefusalKind } from "./transaction-error.ts";

/** One JSON-RPC request as web3.js writes it. */
export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
  readonly body: string;
}

/** One JSON-RPC answer that has the shape of its method. */
export interface RpcAnswer {
  readonly text: string;
  readonly result: unknown;
  readonly error: RpcErrorAnswer | null;
  /** The slot of the state that it shows; null if it does not say. */
  readonly slot: number | null;
}

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema]);
const some = Type.Object({});
const withSlot = (value: TSchema) => Type.Object({ context: Type.Object({ slot: count }), value });

/** Enough of the results to know a node that answers nonsense. Source: Solana's documentation, RPC. */
const RESULTS: Readonly<Record<string, TSchema>> = {
  getAccountInfo: withSlot(orNull(some)),
  getBalance: withSlot(count),
  getEpochInfo: Type.Object({ absoluteSlot: count, blockHeight: count }),
  getGenesisHash: Type.String({ minLength: 32, maxLength: 44 }),
  getLatestBlockhash: withSlot(
    Type.Object({ blockhash: Type.String(), lastValidBlockHeight: count }),
  ),
  getMultipleAccounts: withSlot(Type.Array(orNull(some))),
  getRecentPrioritizationFees: Type.Array(Type.Object({ prioritizationFee: count })),
  getSignatureStatuses: withSlot(Type.Array(orNull(some))),
  getSlot: count,
  getTokenAccountsByOwner: withSlot(Type.Array(some)),
  getTransaction: orNull(Type.Object({ slot: count })),
  sendTransaction: Type.String({ minLength: 64 }),
  simulateTransaction: withSlot(some),
};

/** Methods that answer with one value for each name in their first parameter. */
const ONE_EACH: ReadonlySet<string> = new Set(["getMultipleAccounts", "getSignatureStatuses"]);

const errorAnswer = Type.Object({ code: Type.Integer(), message: Type.String() });

export function readRequest(body: string): RpcRequest {
  const { method, params, id } = JSON.parse(body) as Record<string, unknown>;
  return {
    method: typeof method === "string" ? method : "unknown",
    params: Array.isArray(params) ? params : [],
    id,
    body,
  };
}

/** @throws {RpcFailure} if a node's JSON-RPC answer makes no sense for this request */
export function readAnswer({ method, params }: RpcRequest, text: string): RpcAnswer {
  const nonsense = new RpcFailure("garbage", method, "the answer makes no sense");
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
  if (error !== undefined) {
    if (!Value.Check(errorAnswer, error)) throw nonsense;
    return { text, result: null, error, slot: null };
  }
  const schema = RESULTS[method];
  if (result === undefined || (schema && !Value.Check(schema, result))) throw nonsense;
  const [names] = params;
  if (ONE_EACH.has(method) && Array.isArray(names)) {
    const { value } = result as { value: readonly unknown[] };
    if (value.length !== names.length) throw nonsense;
  }
  return { text, result, error: null, slot: slotOf(method, result) };
}

function slotOf(method: string, result: unknown): number | null {
  if (method === "getSlot") return result as number;
  if (method === "getEpochInfo") return (result as { absoluteSlot: number }).absoluteSlot;
  const isWithSlot = Value.Check(Type.Object({ context: Type.Object({ slot: count }) }), result);
  return isWithSlot ? result.context.slot : null;
}

export function answerText({ id }: RpcRequest, content: { result: unknown } | { error: unknown }) {
  return JSON.stringify({ jsonrpc: "2.0", id, ...content });
}

/** Codes of JSON-RPC errors. Source: `custom_error.rs` of agave's rpc-client-api, JSON-RPC 2.0. */
const NODE_UNHEALTHY = -32005;
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
const INTERNAL_ERROR = -32603;
/** HTTP 429 as some providers say it inside an answer. */
const RATE_LIMITED = -32429;

/** A node lacks what was asked for: a block, history, an index, a method. Another may have it. */
const NOT_HERE: ReadonlySet<number> = new Set([
  -32001, -32004, -32007, -32008, -32009, -32010, -32011, -32012, -32014, -32019, -32601,
]);

/**
 * What a JSON-RPC error says:
 * - `behind`: the node has not reached the slot asked for; it may in a moment.
 * - `unhealthy`, `broken`, `limited`: the node can answer nothing now.
 * - `elsewhere`: this node does not have it.
 * - `request`: the request is wrong; every node would say so.
 */
export type RpcErrorMeaning =
  | "behind"
  | "unhealthy"
  | "broken"
  | "limited"
  | "elsewhere"
  | "request";

export function meaningOf({ code }: RpcErrorAnswer): RpcErrorMeaning {
  if (code === MIN_CONTEXT_SLOT_NOT_REACHED) return "behind";
  if (code === NODE_UNHEALTHY) return "unhealthy";
  if (code === INTERNAL_ERROR) return "broken";
  if (code === RATE_LIMITED) return "limited";
  return NOT_HERE.has(code) ? "elsewhere" : "request";
}

export function refusalKind({ message, data }: RpcErrorAnswer): SendRefusalKind {
  const logs = typeof data === "object" && data !== null && "logs" in data ? data.logs : null;
  const isTexts = Array.isArray(logs) && logs.every((line) => typeof line === "string");
  const parts = { action: "send", signature: "", transactionMessage: message } as const;
  return readSendRefusal(new SendTransactionError(isTexts ? { ...parts, logs } : parts)).kind;
}
