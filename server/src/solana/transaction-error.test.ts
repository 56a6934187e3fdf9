import { describe, expect, test } from "bun:test";
import type { TransactionError } from "@solana/web3.js";
import { classifyError, customCode, describeError, type ErrorClass } from "./transaction-error.ts";

const SYSTEM_FAILED = "Program 11111111111111111111111111111111 failed: custom program error: 0x1";
const TOKEN_FAILED =
  "Program TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA failed: custom program error: 0x1";

const cases: { error: TransactionError; logs?: string[]; who: ErrorClass; text: string }[] = [
  { error: "BlockhashNotFound", who: "later", text: "blockhash not found" },
  { error: "AlreadyProcessed", who: "later", text: "already processed" },
  { error: "AccountNotFound", who: "payer", text: "account not found" },
  { error: "InsufficientFundsForFee", who: "payer", text: "insufficient funds for fee" },
  { error: "SanitizeFailure", who: "program", text: "sanitize failure" },
  {
    error: { InsufficientFundsForRent: { account_index: 0 } },
    who: "payer",
    text: "insufficient funds for rent",
  },
  {
    error: { InsufficientFundsForRent: { account_index: 3 } },
    who: "program",
    text: "insufficient funds for rent",
  },
  {
    error: { InstructionError: [2, { Custom: 1 }] },
    logs: ["Transfer: insufficient lamports 5, need 2039280", SYSTEM_FAILED],
    who: "payer",
    text: "instruction 2: custom program error 1",
  },
  {
    error: { InstructionError: [2, { Custom: 1 }] },
    logs: [TOKEN_FAILED],
    who: "program",
    text: "instruction 2: custom program error 1",
  },
  {
    // The innermost program fails first.
    error: { InstructionError: [0, { Custom: 1 }] },
    logs: [TOKEN_FAILED, SYSTEM_FAILED],
    who: "program",
    text: "instruction 0: custom program error 1",
  },
  {
    error: { InstructionError: [1, "ComputationalBudgetExceeded"] },
    who: "later",
    text: "instruction 1: computational budget exceeded",
  },
  {
    error: { InstructionError: [4, { Custom: 6001 }] },
    who: "program",
    text: "instruction 4: custom program error 6001",
  },
  {
    error: { InstructionError: [4, "InvalidAccountData"] },
    who: "program",
    text: "instruction 4: invalid account data",
  },
  {
    error: { InstructionError: [4, { BorshIoError: "https://rpc/?key=1" }] },
    who: "program",
    text: "instruction 4: borsh io error",
  },
  { error: { "<b>https://x</b>": 1 }, who: "program", text: "bhttpsxb" },
  { error: {}, who: "program", text: "unknown error" },
];

describe("default", () => {
  for (const { error, logs = [], who, text } of cases) {
    test(`${JSON.stringify(error)} is to be mended by: ${who}`, () => {
      expect(classifyError(error, logs)).toBe(who);
      expect(describeError(error)).toBe(text);
    });
  }
});

test("customCode", () => {
  expect(customCode({ InstructionError: [4, { Custom: 6001 }] })).toBe(6001);
  expect(customCode({ InstructionError: [4, "InvalidAccountData"] })).toBeNull();
  expect(customCode("AccountNotFound")).toBeNull();
});
