import type { FailedTransactionMetadata } from "litesvm/dist/internal";
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from "./transaction-error-names.ts";

/** An instruction's error in the RPC's form: `"InvalidArgument"` or `{"Custom": 6000}`. */
type InstructionError = string | { readonly Custom: number };

/**
 * A transaction's error in the RPC's form (agave `UiTransactionError`): `"BlockhashNotFound"`,
 * `{"InstructionError": [0, {"Custom": 1}]}`, `{"InsufficientFundsForRent": {"account_index": 0}}`.
 */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, error: InstructionError] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } };

/** LiteSVM's error in the RPC's form. */
export function transactionErrorOf(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === "number") return TRANSACTION_ERRORS[error]?.[0] ?? `Unknown${error}`;
  if ("err" in error) return { InstructionError: [error.index, instructionErrorOf(error.err())] };
  if ("index" in error) return { DuplicateInstruction: error.index };
  const restricted = error.constructor.name.includes("Restricted");
  const index = { account_index: error.accountIndex };
  return restricted
    ? { ProgramExecutionTemporarilyRestricted: index }
    : { InsufficientFundsForRent: index };
}

function instructionErrorOf(
  error: number | { readonly code: number } | { readonly msg: string },
): InstructionError {
  if (typeof error === "number") return INSTRUCTION_ERRORS[error]?.[0] ?? `Unknown${error}`;
  return "code" in error ? { Custom: error.code } : "BorshIoError";
}

/**
 * A node's text for the error, for example `Error processing Instruction 0: custom program error:
 * 0x1` (solana-transaction-error, `Display` of `TransactionError`).
 */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === "string") return textOf(TRANSACTION_ERRORS, error);
  if ("InstructionError" in error) {
    const [index, cause] = error.InstructionError;
    const text =
      typeof cause === "string"
        ? textOf(INSTRUCTION_ERRORS, cause)
        : `custom program error: 0x${cause.Custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${text}`;
  }
  if ("DuplicateInstruction" in error) {
    return `Transaction contains a duplicate instruction (${error.DuplicateInstruction}) that is not allowed`;
  }
  if ("InsufficientFundsForRent" in error) {
    const index = error.InsufficientFundsForRent.account_index;
    return `Transaction results in an account (${index}) with insufficient funds for rent`;
  }
  const index = error.ProgramExecutionTemporarilyRestricted.account_index;
  return `Execution of the program referenced by account at index ${index} is temporarily restricted.`;
}

function textOf(table: typeof TRANSACTION_ERRORS, name: string): string {
  return table.find(([known]) => known === name)?.[1] ?? name;
}
