import { SendTransactionError } from "@solana/web3.js";
import type { RpcErrorAnswer } from "./rpc-answer.ts";
import { readSendRefusal, type SendRefusalKind } from "./send-refusal.ts";

/** Codes of JSON-RPC errors. Source: `custom_error.rs` of agave's rpc-client-api, JSON-RPC 2.0. */
const NODE_UNHEALTHY = -32005;
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
const INTERNAL_ERROR = -32603;
/** HTTP 429 as some providers say it inside an answer. */
const RATE_LIMITED = -32429;

/**
 * Errors by which a node says that it lacks what was asked for: a block, history, an index, a method.
 * Another node may have it.
 */
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

/** Why a node did not take a transaction. */
export function refusalKind({ message, data }: RpcErrorAnswer): SendRefusalKind {
  const logs = typeof data === "object" && data !== null && "logs" in data ? data.logs : null;
  const isTexts = Array.isArray(logs) && logs.every((line) => typeof line === "string");
  const parts = { action: "send", signature: "", transactionMessage: message } as const;
  return readSendRefusal(new SendTransactionError(isTexts ? { ...parts, logs } : parts)).kind;
}
