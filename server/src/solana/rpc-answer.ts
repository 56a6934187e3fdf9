import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { SendTransactionError } from "@solana/web3.js";
import { type RpcErrorAnswer, RpcFailure } from "./connection.ts";
import { certaintyOf } from "./outcome.ts";
import { readSendRefusal, type SendRefusalKind } from "./transaction-error.ts";

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

/** By code. Source: `custom_error.rs` of agave's rpc-client-api, JSON-RPC 2.0. */
const MEANINGS: Readonly<Record<number, "behind" | "unhealthy" | "broken" | "limited">> = {
  [-32016]: "behind",
  [-32005]: "unhealthy",
  [-32603]: "broken",
  // HTTP 429 as some providers say it inside an answer.
  [-32429]: "limited",
};

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
export function meaningOf({ code }: RpcErrorAnswer) {
  return MEANINGS[code] ?? (NOT_HERE.has(code) ? "elsewhere" : "request");
}

export function refusalKind({ message, data }: RpcErrorAnswer): SendRefusalKind {
  const logs = typeof data === "object" && data !== null && "logs" in data ? data.logs : null;
  const isTexts = Array.isArray(logs) && logs.every((line) => typeof line === "string");
  const parts = { action: "send", signature: "", transactionMessage: message } as const;
  return readSendRefusal(new SendTransactionError(isTexts ? { ...parts, logs } : parts)).kind;
}

interface Merging {
  isEnough(result: unknown): boolean;
  merge(request: RpcRequest, answers: readonly RpcAnswer[]): RpcAnswer;
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly slot?: unknown } | null)[];
}

const statuses: Merging = {
  isEnough: (result) => (result as Statuses).value.every((entry) => certaintyOf(entry) > 0),
  merge(request, answers) {
    const all = answers.map(({ result }) => result as Statuses);
    // That a transaction is unknown holds for the oldest state of those that do not know it.
    const slot = Math.min(...all.map(({ context }) => context.slot));
    const value = (all[0]?.value ?? []).map((_, index) =>
      all
        .map((each) => each.value[index] ?? null)
        .reduce((best, entry) => (certaintyOf(entry) > certaintyOf(best) ? entry : best)),
    );
    const result = { context: { slot }, value };
    return { text: answerText(request, { result }), result, error: null, slot };
  },
};

const transaction: Merging = {
  isEnough: (result) => result !== null,
  merge: (_, answers) => first(answers.filter(({ result }) => result !== null).concat(answers)),
};

const height: Merging = {
  isEnough: () => false,
  merge: (_, answers) => first(answers.toSorted((a, b) => heightOf(a) - heightOf(b))),
};

const heightOf = ({ result }: RpcAnswer) => (result as { blockHeight: number }).blockHeight;

function first(answers: readonly RpcAnswer[]): RpcAnswer {
  const [answer] = answers;
  if (!answer) throw new Error("no answers to merge");
  return answer;
}

/**
 * Requests whose answer may end the wait for a transaction. That it has expired is the one wrong
 * answer that could have it signed twice, so no node alone is believed: the lowest block height of
 * all nodes in use must be past its last one, and after that slot none may find it in its history.
 * In use are nodes of the right cluster that answer sensibly, at most 12 s behind; if only one is
 * left, its word counts.
 */
export function mergingOf({ method, params }: RpcRequest): Merging | null {
  if (method === "getTransaction") return transaction;
  if (method === "getEpochInfo") return height;
  if (method !== "getSignatureStatuses") return null;
  const { searchTransactionHistory } = Object(params[1]) as Record<string, unknown>;
  return searchTransactionHistory === true ? statuses : null;
}

/**
 * A confirmed slot that an answer proves. Statuses are read at the processed slot, which is ahead of
 * the confirmed one; only the slots of confirmed transactions count.
 */
export function confirmedSlot({ method }: RpcRequest, { error, result, slot }: RpcAnswer): number {
  if (error || method !== "getSignatureStatuses") return slot ?? 0;
  const { value } = result as Statuses;
  const slots = value.map((entry) => (certaintyOf(entry) > 0 ? entry?.slot : 0));
  return Math.max(0, ...slots.filter((each): each is number => Number.isSafeInteger(each)));
}
