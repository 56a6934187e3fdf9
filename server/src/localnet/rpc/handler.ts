import type { LocalChain } from "../chain.ts";
import { answerBody, METHODS, type OnFault } from "./calls.ts";
import type { Methods } from "./method.ts";

/** The largest request body, in bytes (agave `MAX_REQUEST_BODY_SIZE`). */
export const MAX_BODY_BYTES = 50 * 1_024;

/**
 * Solana's JSON-RPC over HTTP for a chain: single calls and batches on POST, `GET /health` as on a
 * node.
 *
 * @param extraMethods are served beside Solana's
 */
export function createRpcHandler(
  chain: LocalChain,
  onFault: OnFault = () => {},
  extraMethods: Methods = {},
): (request: Request) => Promise<Response> {
  const methods = { ...METHODS, ...extraMethods };
  return async (request) => {
    if (request.method === "GET" && new URL(request.url).pathname === "/health") {
      return new Response("ok");
    }
    if (request.method !== "POST") {
      return new Response("Used HTTP Method is not allowed. POST or OPTIONS is required\n", {
        status: 405,
      });
    }
    // As on a node. It also keeps web pages out: for this type browsers first ask for permission.
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
    return new Response(await answerBody({ chain, onFault, methods }, body), {
      headers: { "content-type": "application/json; charset=utf-8" },
    });
  };
}
