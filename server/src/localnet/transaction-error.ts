import type { FailedTransactionMetadata } from "litesvm/dist/internal";

/** An instruction's error in the RPC's form: `"InvalidArgument"` or `{"Custom": 6000}`. */
type InstructionError = string | { readonly Custom: number };

interface AccountIndex {
  readonly account_index: number;
}

/**
 * A transaction's error in the RPC's form (agave `UiTransactionError`): `"BlockhashNotFound"`,
 * `{"InstructionError": [0, {"Custom": 1}]}`, `{"InsufficientFundsForRent": {"account_index": 0}}`.
 */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, error: InstructionError] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: AccountIndex }
  | { readonly ProgramExecutionTemporarilyRestricted: AccountIndex };

/** The start of a failure's `toString()`, the only place with its error's name at run time. */
const FAILURE =
  /^FailedTransactionMetadata\(FailedTransactionMetadata \{ err: (?<name>\w+)(?:\((?<index>\d+)(?:, (?<cause>\w+)(?:\((?<code>\d+)\))?)?| \{ account_index: (?<account>\d+) \})?/;

export function transactionErrorOf(failed: FailedTransactionMetadata): TransactionError {
  const found = FAILURE.exec(failed.toString())?.groups;
  if (!found?.name) throw new Error("LiteSVM reports a failure without an error");
  const { name, index, cause, code, account } = found;
  if (account !== undefined) {
    return { [name]: { account_index: Number(account) } } as unknown as TransactionError;
  }
  if (index === undefined) return name;
  if (cause === undefined) return { DuplicateInstruction: Number(index) };
  const error = cause === "Custom" ? { Custom: Number(code) } : cause;
  return { InstructionError: [Number(index), error] };
}

/** For example `Error processing Instruction 0: custom program error: 0x1` (agave's `Display`). */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === "string") return TEXTS[error] ?? error;
  if ("InstructionError" in error) {
    const [index, cause] = error.InstructionError;
    const text =
      typeof cause === "string"
        ? (TEXTS[cause] ?? cause)
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

/** The texts by which clients recognise errors. For others, the name is the text. */
const TEXTS: Readonly<Record<string, string>> = {
  AccountNotFound: "Attempt to debit an account but found no record of a prior credit.",
  ProgramAccountNotFound: "Attempt to load a program that does not exist",
  InsufficientFundsForFee: "Insufficient funds for fee",
  AlreadyProcessed: "This transaction has already been processed",
  BlockhashNotFound: "Blockhash not found",
  SignatureFailure: "Transaction did not pass signature verification",
  InvalidProgramForExecution: "This program may not be used for executing instructions",
  MaxLoadedAccountsDataSizeExceeded: "Transaction exceeded max loaded accounts data size cap",
  SanitizeFailure: "Transaction failed to sanitize accounts offsets correctly",
  InvalidArgument: "invalid program argument",
  InvalidInstructionData: "invalid instruction data",
  InvalidAccountData: "invalid account data for instruction",
  InsufficientFunds: "insufficient funds for instruction",
  IncorrectProgramId: "incorrect program id for instruction",
  MissingRequiredSignature: "missing required signature for instruction",
  ComputationalBudgetExceeded: "Computational budget exceeded",
  ProgramFailedToComplete: "Program failed to complete",
};
