import { expect, test } from "bun:test";
import type { FailedTransactionMetadata } from "litesvm/dist/internal";
import {
  describeTransactionError,
  type TransactionError,
  transactionErrorOf,
} from "./transaction-error.ts";

test.each<[string, TransactionError, string]>([
  ["BlockhashNotFound", "BlockhashNotFound", "Blockhash not found"],
  ["CommitCancelled", "CommitCancelled", "CommitCancelled"],
  [
    "InstructionError(2, Custom(6000))",
    { InstructionError: [2, { Custom: 6_000 }] },
    "Error processing Instruction 2: custom program error: 0x1770",
  ],
  [
    "InstructionError(0, InvalidArgument)",
    { InstructionError: [0, "InvalidArgument"] },
    "Error processing Instruction 0: invalid program argument",
  ],
  [
    'InstructionError(0, BorshIoError("x"))',
    { InstructionError: [0, "BorshIoError"] },
    "Error processing Instruction 0: BorshIoError",
  ],
  [
    "DuplicateInstruction(3)",
    { DuplicateInstruction: 3 },
    "Transaction contains a duplicate instruction (3) that is not allowed",
  ],
  [
    "InsufficientFundsForRent { account_index: 1 }",
    { InsufficientFundsForRent: { account_index: 1 } },
    "Transaction results in an account (1) with insufficient funds for rent",
  ],
])("LiteSVM's %s has the form and the text of a node", (debug, error, text) => {
  const shown = `FailedTransactionMetadata(FailedTransactionMetadata { err: ${debug}, meta: TransactionMetadata { logs: ["err: SignatureFailure"] } })`;
  const failed = { toString: () => shown } as FailedTransactionMetadata;
  expect(transactionErrorOf(failed)).toEqual(error);
  expect(describeTransactionError(error)).toBe(text);
});
