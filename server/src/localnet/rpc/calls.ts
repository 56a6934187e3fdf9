import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { accountMethods } from "./account-methods.ts";
import { Allowance, MAX_CALLS } from "./allowance.ts";
import { blockMethods } from "./block-methods.ts";
import { clusterMethods } from "./cluster-methods.ts";
import type { Methods } from "./method.ts";
import { Params } from "./params.ts";
import { failure, type Reply } from "./reply.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";
import { tokenMethods } from "./token-methods.ts";
import { transactionMethods } from "./transaction-methods.ts";

/** Solana's methods. */
export const METHODS: Methods = {
  ...clusterMethods,
  ...blockMethods,
  ...accountMethods,
  ...tokenMethods,
  ...transactionMethods,
};

/** After this time the calls of a batch let other requests run. */
const TURN_MS = 8;

/** Receives faults of the chain itself, such as a full disk; callers get `Internal error`. */
export type OnFault = (error: unknown) => void;

interface Served {
  readonly chain: LocalChain;
  readonly onFault: OnFault;
  readonly methods: Methods;
}

interface Rpc extends Served {
  readonly allowance: Allowance;
}

/**
 * Answers a JSON-RPC call or a batch of calls.
 *
 * @returns the JSON of the answer; empty if the body holds only notifications
 */
export async function answerBody(served: Served, body: string): Promise<string> {
  const rpc: Rpc = { ...served, allowance: new Allowance() };
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return stringifyExact(failure(null, new RpcError(RPC_CODES.parseError, "Parse error")));
  }
  if (!Array.isArray(parsed)) {
    const reply = answer(rpc, parsed);
    const [synced] = await whenSynced(rpc, reply === null ? [] : [reply]);
    return synced === undefined ? "" : stringifyExact(synced);
  }
  if (parsed.length === 0) return stringifyExact(failure(null, invalidRequest()));
  if (parsed.length > MAX_CALLS) {
    const text = `Invalid request: a batch holds at most ${MAX_CALLS} calls`;
    return stringifyExact(failure(null, new RpcError(RPC_CODES.invalidRequest, text)));
  }
  const replies = await whenSynced(rpc, await answerBatch(rpc, parsed));
  return replies.length === 0 ? "" : stringifyExact(replies);
}

async function answerBatch(rpc: Rpc, calls: readonly unknown[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  let turnStarted = performance.now();
  for (const call of calls) {
    if (performance.now() - turnStarted > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turnStarted = performance.now();
    }
    const reply = answer(rpc, call);
    if (reply !== null) replies.push(reply);
  }
  return replies;
}

/** Holds replies back until everything that they may report is on the disk. */
async function whenSynced(
  { chain, onFault }: Rpc,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  try {
    await chain.whenSynced();
    return replies;
  } catch (error) {
    onFault(error);
    return replies.map(({ id }) => failure(id, error));
  }
}

/** @returns null for a notification, which gets no answer */
function answer(rpc: Rpc, call: unknown): Reply | null {
  if (typeof call !== "object" || call === null) return failure(null, invalidRequest());
  const { jsonrpc, method, params, id } = call as Record<string, unknown>;
  if (!isId(id) || jsonrpc !== "2.0" || typeof method !== "string") {
    return failure(isId(id) ? (id ?? null) : null, invalidRequest());
  }
  const reply = invoke(rpc, method, params, id ?? null);
  return id === undefined ? null : reply;
}

function invoke(
  { chain, onFault, methods, allowance }: Rpc,
  name: string,
  params: unknown,
  id: string | number | null,
): Reply {
  try {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw invalidParams("params must be an array");
    }
    return { jsonrpc: "2.0", result: method(chain, new Params(params ?? []), allowance), id };
  } catch (error) {
    if (!(error instanceof RpcError)) onFault(error);
    return failure(id, error);
  }
}

function invalidRequest(): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, "Invalid request");
}

function isId(id: unknown): id is string | number | null | undefined {
  return id === undefined || id === null || typeof id === "string" || typeof id === "number";
}
