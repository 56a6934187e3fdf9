import type { Execution } from "../engine.ts";
import { describeTransactionError, type TransactionError } from "../transaction-error.ts";
import { returnDataOf } from "../transaction-meta.ts";
import { TransactionRefusedError } from "../transaction-refused.ts";
import { MalformedTransactionError } from "../wire-message.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** Turns an error of the chain about a transaction into the one that a node answers with. */
export function sendError(error: unknown): unknown {
  if (error instanceof MalformedTransactionError) {
    return new RpcError(
      RPC_CODES.invalidParams,
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${error.message}`,
    );
  }
  if (!(error instanceof TransactionRefusedError)) return error;
  if (error.error === "SignatureFailure") return signatureFailure();
  return new RpcError(
    RPC_CODES.preflightFailure,
    `Transaction simulation failed: ${describeTransactionError(error.error)}`,
    rpcSimulationResult(error.error, error.execution),
  );
}

export function signatureFailure(): RpcError {
  return new RpcError(
    RPC_CODES.signatureVerificationFailure,
    "Transaction signature verification failure",
  );
}

/** A simulation as the RPC writes it (agave `RpcSimulateTransactionResult`). */
export function rpcSimulationResult(error: TransactionError | null, execution: Execution | null) {
  const units = Number(execution?.meta.computeUnitsConsumed() ?? 0n);
  return {
    err: error,
    logs: execution?.meta.logs() ?? [],
    accounts: null as unknown,
    unitsConsumed: units,
    returnData: execution === null ? null : returnDataOf(execution.meta),
    innerInstructions: null as unknown,
    replacementBlockhash: null as unknown,
  };
}
