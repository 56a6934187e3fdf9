import type { Execution } from "./engine.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";

/** The chain does not accept a transaction: its check or its simulation failed. */
export class TransactionRefusedError extends Error {
  override readonly name = "TransactionRefusedError";
  readonly code = "transaction_refused";

  constructor(
    readonly error: TransactionError,
    /** The simulation; null if the transaction did not run. */
    readonly execution: Execution | null,
  ) {
    super(describeTransactionError(error));
  }
}
