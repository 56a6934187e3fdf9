import { expect, test } from "bun:test";
import type { TransactionError } from "@solana/web3.js";
import { classifyError, describeError, type ErrorClass } from "./transaction-error.ts";

const SYSTEM_FAILED = "Program 11111111111111111111111111111111 failed: custom program error: 0x1";
const TOKEN_FAILED =
  "Program TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA failed: custom program error: 0x1";

const payers: TransactionError = { InsufficientFundsForRent: { account_index: 0 } };
const others: TransactionError = { InsufficientFundsForRent: { account_index: 3 } };
const failed = (index: number, reason: unknown) =>
  ({ InstructionError: [index, reason] }) as TransactionError;

test.each<[TransactionError, ErrorClass, text: string, logs?: string[]]>([
  ["BlockhashNotFound", "later", "blockhash not found"],
  ["AlreadyProcessed", "later", "already processed"],
  ["AccountNotFound", "payer", "account not found"],
  ["InsufficientFundsForFee", "payer", "insufficient funds for fee"],
  // The payer's account belongs to a program, no matter what it holds.
  ["InvalidAccountForFee", "program", "invalid account for fee"],
  ["SanitizeFailure", "program", "sanitize failure"],
  [payers, "payer", "insufficient funds for rent"],
  [others, "program", "insufficient funds for rent"],
  [failed(2, { Custom: 1 }), "payer", "instruction 2: custom program error 1", [SYSTEM_FAILED]],
  [failed(2, { Custom: 1 }), "program", "instruction 2: custom program error 1", [TOKEN_FAILED]],
  [
    // The innermost program fails first.
    failed(0, { Custom: 1 }),
    "program",
    "instruction 0: custom program error 1",
    [TOKEN_FAILED, SYSTEM_FAILED],
  ],
  // The limit is part of the transaction.
  [
    failed(1, "ComputationalBudgetExceeded"),
    "program",
    "instruction 1: computational budget exceeded",
  ],
  [failed(4, { Custom: 6001 }), "program", "instruction 4: custom program error 6001"],
  [failed(4, "InvalidAccountData"), "program", "instruction 4: invalid account data"],
  [failed(4, { BorshIoError: "https://rpc/?key=1" }), "program", "instruction 4: borsh io error"],
  [{ "<b>https://x</b>": 1 } as TransactionError, "program", "bhttpsxb"],
  [{} as TransactionError, "program", "unknown error"],
])(
  "the error %j is of the class %s, and described as: %s",
  (error, errorClass, text, logs = []) => {
    expect(classifyError(error, logs)).toBe(errorClass);
    expect(describeError(error)).toBe(text);
  },
);
