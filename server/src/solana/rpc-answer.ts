import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { errorOfAnswer, errorOfStatus, RpcError, type RpcErrorFacts } from "./rpc-errors.ts";

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
  readonly error: RpcError | null;
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
  getFeeForMessage: withSlot(orNull(count)),
  getGenesisHash: Type.String({ minLength: 32, maxLength: 44 }),
  getHealth: Type.String(),
  getLatestBlockhash: withSlot(
    Type.Object({ blockhash: Type.String(), lastValidBlockHeight: count }),
  ),
  getMultipleAccounts: withSlot(Type.Array(orNull(some))),
  getRecentPrioritizationFees: Type.Array(Type.Object({ prioritizationFee: count })),
  getSignaturesForAddress: Type.Array(some),
  // One that cannot be understood leaves the others as they are.
  getSignatureStatuses: withSlot(Type.Array(Type.Unknown())),
  getSlot: count,
  getTokenAccountsByOwner: withSlot(Type.Array(some)),
  getTransaction: orNull(Type.Object({ slot: count })),
  sendTransaction: Type.String({ minLength: 64 }),
  simulateTransaction: withSlot(some),
};

/** What the service asks nodes. */
export const RPC_METHODS: readonly string[] = Object.keys(RESULTS);

const ONE_EACH: ReadonlySet<string> = new Set(["getMultipleAccounts", "getSignatureStatuses"]);

export function readRequest(body: string): RpcRequest {
  const { method, params, id } = JSON.parse(body) as Record<string, unknown>;
  return {
    method: typeof method === "string" ? method : "unknown",
    params: Array.isArray(params) ? params : [],
    id,
    body,
  };
}

/** Reads the body of an HTTP answer. @throws {RpcError} it is no answer to this request */
export function readAnswer(
  request: RpcRequest,
  text: string,
  facts: RpcErrorFacts = {},
): RpcAnswer {
  const { method } = request;
  const { result, error = null } = Object(parse(text)) as { result?: unknown; error?: unknown };
  const refusal = errorOfAnswer(method, error, facts);
  if (refusal) return { text, result: null, error: refusal, slot: null };
  if (facts.status != null) throw errorOfStatus(method, facts);
  if (error !== null || result === undefined) {
    throw new RpcError("garbage", method, "the answer is not JSON-RPC");
  }
  if (!isResultOf(request, result)) {
    throw new RpcError("garbage", method, "the answer makes no sense");
  }
  // web3.js takes `"error": null` beside a result for an error.
  const plain = text.includes('"error"') ? answerText(request, { result }) : text;
  return { text: plain, result, error: null, slot: slotOf(method, result) };
}

/** @returns undefined for what is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResultOf({ method, params }: RpcRequest, result: unknown): boolean {
  const schema = RESULTS[method];
  if (schema && !Value.Check(schema, result)) return false;
  const [names] = params;
  if (!ONE_EACH.has(method) || !Array.isArray(names)) return true;
  return (result as { value: readonly unknown[] }).value.length === names.length;
}

function slotOf(method: string, result: unknown): number | null {
  if (method === "getSlot") return result as number;
  if (method === "getEpochInfo") return (result as { absoluteSlot: number }).absoluteSlot;
  const isWithSlot = Value.Check(Type.Object({ context: Type.Object({ slot: count }) }), result);
  return isWithSlot ? result.context.slot : null;
}

export function answerText({ id }: RpcRequest, content: { readonly result: unknown }): string {
  return JSON.stringify({ jsonrpc: "2.0", id, ...content });
}

/** From unknown to final. */
const CERTAINTY = ["processed", "confirmed", "finalized"];

/** How certain a status is: -2 not known, -1 not understood, 0 may still vanish, more if final. */
export function certaintyOf(entry: unknown): number {
  if (entry === null) return -2;
  const { confirmationStatus, confirmations } = Object(entry) as Record<string, unknown>;
  // Nodes older than `confirmationStatus` say null when no confirmation is missing.
  const word = confirmationStatus ?? (confirmations === null ? "finalized" : undefined);
  return CERTAINTY.indexOf(word as string);
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
