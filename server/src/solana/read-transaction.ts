import type { Connection, VersionedTransactionResponse } from "@solana/web3.js";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import { RpcError } from "./rpc-errors.ts";

/** Reads what a confirmed transaction did; null if the node does not show it. */
export function readTransaction(
  connection: Connection,
  signature: string,
): Promise<VersionedTransactionResponse | null> {
  return connection.getTransaction(signature, { maxSupportedTransactionVersion: HIGHEST_VERSION });
}

/** `TRANSACTION_VERSION_UNSUPPORTED` of agave's rpc-client-api. */
const UNSUPPORTED_VERSION = -32015;

/** Whether a transaction is of a version that this program cannot read. */
export function isOfUnknownVersion(error: unknown): boolean {
  return error instanceof RpcError && error.code === UNSUPPORTED_VERSION;
}
