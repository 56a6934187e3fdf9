/** Of JSON-RPC 2.0, then of Solana's RPC (agave `rpc-client-api/src/custom_error.rs`). */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  blockNotAvailable: -32004,
  preflightFailure: -32002,
  signatureVerificationFailure: -32003,
  slotSkipped: -32007,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
} as const;

/** A method throws it to answer with a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** The parameters have the wrong shape. */
export function invalidParams(reason: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid params: ${reason}.`);
}

/** A parameter has the right shape and an invalid value. */
export function invalidParam(reason: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid param: ${reason}`);
}

export interface Reply {
  readonly jsonrpc: "2.0";
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The id of the call; null if it could not be read. */
  readonly id: unknown;
}

/** The answer to a call that failed. It hides the text of other errors. */
export function failure(id: unknown, error: unknown): Reply {
  if (!(error instanceof RpcError)) {
    const internal = { code: RPC_CODES.internalError, message: "Internal error" };
    return { jsonrpc: "2.0", error: internal, id };
  }
  const { code, message, data } = error;
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}
