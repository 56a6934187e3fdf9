import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { accountMethods } from "./account-methods.ts";
import { clusterMethods } from "./cluster-methods.ts";
import { Allowance, type Methods, Params, RPC_CODES, RpcError, refused } from "./method.ts";
import { readRpcError, sendMethods } from "./send-methods.ts";
import { transactionMethods } from "./transaction-methods.ts";

const METHODS: Methods = {
  ...clusterMethods,
  ...accountMethods,
  ...transactionMethods,
  ...sendMethods,
};

/** The largest request body, in bytes (agave `MAX_REQUEST_BODY_SIZE`). */
export const MAX_BODY_BYTES = 50 * 1_024;

/** Receives the chain's own faults, such as a full disk; callers get `Internal error`. */
export type OnFault = (error: unknown) => void;

/** Serves Solana's JSON-RPC over HTTP: calls by POST, and `GET /health` like a node. */
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
    // As on a node. It also keeps web pages out: browsers ask for permission to send this type.
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
    const reply = answerBody({ chain, onFault }, body);
    return new Response(reply === null ? "" : stringifyExact(reply), {
      headers: { "content-type": "application/json; charset=utf-8" },
    });
  };
}

type Reply = Readonly<Record<string, unknown>>;

function failure(id: unknown, { code, message, data }: RpcError): Reply {
  return { jsonrpc: "2.0", error: { code, message, data }, id };
}

interface Rpc {
  readonly chain: LocalChain;
  readonly onFault: OnFault;
}

/** @returns null for a notification */
function answerBody(rpc: Rpc, body: string): Reply | null {
  let call: unknown;
  try {
    call = JSON.parse(body);
  } catch {
    call = null;
  }
  if (Array.isArray(call)) {
    const text = "This chain offers no batches: send one call at a time";
    return failure(null, new RpcError(RPC_CODES.invalidRequest, text));
  }
  if (!isCall(call)) return failure(null, new RpcError(RPC_CODES.parseError, "Parse error"));
  return answer(rpc, call);
}

type Call = Readonly<Record<string, unknown>>;

function isCall(value: unknown): value is Call {
  if (typeof value !== "object" || value === null) return false;
  const { id = null } = value as Call;
  return id === null || typeof id === "string" || typeof id === "number";
}

/** Nodes refuse calls with other fields. */
const FIELDS = new Set(["jsonrpc", "id", "method", "params"]);

function answer(rpc: Rpc, call: Call): Reply | null {
  const { jsonrpc, method, params = null, id = null } = call;
  const isRight = jsonrpc === "2.0" && typeof method === "string" && typeof params === "object";
  if (!isRight || !Object.keys(call).every((field) => FIELDS.has(field))) {
    return failure(id, new RpcError(RPC_CODES.invalidRequest, "Invalid request"));
  }
  let reply: Reply;
  try {
    reply = { jsonrpc: "2.0", result: resultOf(rpc.chain, method, params), id };
  } catch (error) {
    const known = readRpcError(error);
    if (known === null) rpc.onFault(error);
    // The text of a fault is not meant for callers.
    reply = failure(id, known ?? new RpcError(RPC_CODES.internalError, "Internal error"));
  }
  return "id" in call ? reply : null;
}

function resultOf(chain: LocalChain, name: string, params: unknown): unknown {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
  if (params !== null && !Array.isArray(params)) throw refused("`params` should be an array");
  return method(chain, new Params(params ?? []), new Allowance());
}
