import type { Execution } from "./engine.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";

/** A transaction would not land, as its simulation shows. */
export class TransactionRefusedError extends Error {
  override readonly name = "TransactionRefusedError";
  readonly code = "transaction_refused";

  constructor(
    readonly error: TransactionError,
    /** What simulating it gave; null when it was not run. */
    readonly execution: Execution | null,
  ) {
    super(describeTransactionError(error));
  }
}
