import { describe, expect, test } from "bun:test";
import type { TransactionError } from "@solana/web3.js";
import { classifyError, customCode, describeError, type ErrorClass } from "./transaction-error.ts";

const SYSTEM_FAILED = "Program 11111111111111111111111111111111 failed: custom program error: 0x1";
const TOKEN_FAILED =
  "Program TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA failed: custom program error: 0x1";

const cases: { error: TransactionError; logs?: string[]; errorClass: ErrorClass; text: string }[] =
  [
    { error: "BlockhashNotFound", errorClass: "later", text: "blockhash not found" },
    { error: "AlreadyProcessed", errorClass: "later", text: "already processed" },
    { error: "AccountNotFound", errorClass: "payer", text: "account not found" },
    { error: "InsufficientFundsForFee", errorClass: "payer", text: "insufficient funds for fee" },
    // The payer's account belongs to a program, no matter what it holds.
    { error: "InvalidAccountForFee", errorClass: "program", text: "invalid account for fee" },
    { error: "SanitizeFailure", errorClass: "program", text: "sanitize failure" },
    {
      error: { InsufficientFundsForRent: { account_index: 0 } },
      errorClass: "payer",
      text: "insufficient funds for rent",
    },
    {
      error: { InsufficientFundsForRent: { account_index: 3 } },
      errorClass: "program",
      text: "insufficient funds for rent",
    },
    {
      error: { InstructionError: [2, { Custom: 1 }] },
      logs: ["Transfer: insufficient lamports 5, need 2039280", SYSTEM_FAILED],
      errorClass: "payer",
      text: "instruction 2: custom program error 1",
    },
    {
      error: { InstructionError: [2, { Custom: 1 }] },
      logs: [TOKEN_FAILED],
      errorClass: "program",
      text: "instruction 2: custom program error 1",
    },
    {
      // The innermost program fails first.
      error: { InstructionError: [0, { Custom: 1 }] },
      logs: [TOKEN_FAILED, SYSTEM_FAILED],
      errorClass: "program",
      text: "instruction 0: custom program error 1",
    },
    {
      error: { InstructionError: [1, "ComputationalBudgetExceeded"] },
      // The limit is part of the transaction.
      errorClass: "program",
      text: "instruction 1: computational budget exceeded",
    },
    {
      error: { InstructionError: [4, { Custom: 6001 }] },
      errorClass: "program",
      text: "instruction 4: custom program error 6001",
    },
    {
      error: { InstructionError: [4, "InvalidAccountData"] },
      errorClass: "program",
      text: "instruction 4: invalid account data",
    },
    {
      error: { InstructionError: [4, { BorshIoError: "https://rpc/?key=1" }] },
      errorClass: "program",
      text: "instruction 4: borsh io error",
    },
    { error: { "<b>https://x</b>": 1 }, errorClass: "program", text: "bhttpsxb" },
    { error: {}, errorClass: "program", text: "unknown error" },
  ];

describe("classifyError and describeError", () => {
  for (const { error, logs = [], errorClass, text } of cases) {
    test(`classify ${JSON.stringify(error)} as ${errorClass}`, () => {
      expect(classifyError(error, logs)).toBe(errorClass);
      expect(describeError(error)).toBe(text);
    });
  }
});

test("customCode returns the code of a custom error, and null for other errors", () => {
  expect(customCode({ InstructionError: [4, { Custom: 6001 }] })).toBe(6001);
  expect(customCode({ InstructionError: [4, "InvalidAccountData"] })).toBeNull();
  expect(customCode("AccountNotFound")).toBeNull();
});
