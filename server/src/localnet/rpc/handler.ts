import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { accountMethods } from "./account-methods.ts";
import { Allowance, MAX_CALLS } from "./allowance.ts";
import { clusterMethods } from "./cluster-methods.ts";
import type { Methods } from "./method.ts";
import { Params } from "./params.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";
import { tokenMethods } from "./token-methods.ts";
import { transactionMethods } from "./transaction-methods.ts";

/** The largest request body, in bytes (agave `MAX_REQUEST_BODY_SIZE`). */
export const MAX_BODY_BYTES = 50 * 1_024;

const METHODS: Methods = {
  ...clusterMethods,
  ...accountMethods,
  ...tokenMethods,
  ...transactionMethods,
};

type Id = string | number | null;

/** How long calls of a batch are answered one after the other before others get their turn. */
const TURN_MS = 8;

interface Rpc {
  readonly chain: LocalChain;
  readonly onFault: OnFault;
  readonly allowance: Allowance;
}

interface Reply {
  readonly jsonrpc: "2.0";
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly id: Id;
}

/** Is told of faults of the chain itself, such as a full disk; callers get `Internal error`. */
export type OnFault = (error: unknown) => void;

/**
 * Solana's JSON-RPC over HTTP for a chain: single calls and batches on POST, `GET /health` as on a
 * node.
 */
export function createRpcHandler(
  chain: LocalChain,
  onFault: OnFault = () => {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === "GET" && new URL(request.url).pathname === "/health") {
      return new Response("ok");
    }
    if (request.method !== "POST") {
      return new Response("Used HTTP Method is not allowed. POST or OPTIONS is required\n", {
        status: 405,
      });
    }
    // As on a node; it also keeps web pages from sending without asking first.
    if (!/^application\/json(;|$)/.test(request.headers.get("content-type") ?? "")) {
      return new Response(
        "Supplied content type is not allowed. Content-Type: application/json is required\n",
        { status: 415 },
      );
    }
    const body = await request.text();
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
      return new Response("Payload too large\n", { status: 413 });
    }
    const answered = await answerBody({ chain, onFault, allowance: new Allowance() }, body);
    return new Response(answered, {
      headers: { "content-type": "application/json; charset=utf-8" },
    });
  };
}

/** @returns the JSON of the answer; empty when only notifications were sent */
async function answerBody(rpc: Rpc, body: string): Promise<string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return stringifyExact(failure(null, new RpcError(RPC_CODES.parseError, "Parse error")));
  }
  if (!Array.isArray(parsed)) {
    const reply = answer(rpc, parsed);
    const [told] = await synced(rpc, reply === null ? [] : [reply]);
    return told === undefined ? "" : stringifyExact(told);
  }
  if (parsed.length === 0) return stringifyExact(failure(null, invalidRequest()));
  if (parsed.length > MAX_CALLS) {
    const text = `Invalid request: a batch holds at most ${MAX_CALLS} calls`;
    return stringifyExact(failure(null, new RpcError(RPC_CODES.invalidRequest, text)));
  }
  const replies = await synced(rpc, await answerBatch(rpc, parsed));
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

/** Holds answers back until all that they may tell of is on the disk. */
async function synced(
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

/** @returns null for a notification, which has no answer */
function answer(rpc: Rpc, call: unknown): Reply | null {
  if (typeof call !== "object" || call === null) return failure(null, invalidRequest());
  const { jsonrpc, method, params, id } = call as Record<string, unknown>;
  if (!isId(id) || jsonrpc !== "2.0" || typeof method !== "string") {
    return failure(isId(id) ? (id ?? null) : null, invalidRequest());
  }
  const reply = invoke(rpc, method, params, id ?? null);
  return id === undefined ? null : reply;
}

function invoke({ chain, onFault, allowance }: Rpc, name: string, params: unknown, id: Id): Reply {
  try {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method === undefined) throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw invalidParams("params must be a sequence");
    }
    return { jsonrpc: "2.0", result: method(chain, new Params(params ?? []), allowance), id };
  } catch (error) {
    if (!(error instanceof RpcError)) onFault(error);
    return failure(id, error);
  }
}

function failure(id: Id, error: unknown): Reply {
  if (!(error instanceof RpcError)) {
    const internal = { code: RPC_CODES.internalError, message: "Internal error" };
    return { jsonrpc: "2.0", error: internal, id };
  }
  const { code, message, data } = error;
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

function invalidRequest(): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, "Invalid request");
}

function isId(id: unknown): id is Id | undefined {
  return id === undefined || id === null || typeof id === "string" || typeof id === "number";
}
