import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** The answer to one call of JSON-RPC 2.0. */
export interface Reply {
  readonly jsonrpc: "2.0";
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The id of the call; null if it could not be read. */
  readonly id: unknown;
}

/** The answer to a call that failed. It hides the text of errors that are no {@link RpcError}. */
export function failure(id: unknown, error: unknown): Reply {
  if (!(error instanceof RpcError)) {
    const internal = { code: RPC_CODES.internalError, message: "Internal error" };
    return { jsonrpc: "2.0", error: internal, id };
  }
  const { code, message, data } = error;
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}
