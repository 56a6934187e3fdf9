import { describe, expect, test } from "bun:test";
import { errorOfAnswer } from "./rpc-answer.ts";
import { type SendRefusalKind, sendRefusalKind } from "./transaction-error.ts";

describe("a refusal by agave's nodes", () => {
  const preflight = (err: unknown) => ({ code: -32002, data: { err, logs: [] } });
  const cases: [kind: SendRefusalKind, error: { code: number; data?: unknown }][] = [
    ["node", { code: -32005 }],
    ["node", { code: -32016 }],
    ["node", { code: -32603 }],
    ["blockhash", preflight("BlockhashNotFound")],
    ["duplicate", preflight("AlreadyProcessed")],
    ["signature", preflight("SignatureFailure")],
    ["node", preflight("AccountInUse")],
    ["payer", preflight({ InsufficientFundsForRent: { account_index: 0 } })],
    ["program", preflight({ InstructionError: [3, { Custom: 6001 }] })],
    ["program", preflight({ InstructionError: [3, "InvalidAccountData"] })],
    ["signature", { code: -32003 }],
    ["invalid", { code: -32602 }],
  ];
  test.each(cases)("is read as %s from %j", (kind, answer) => {
    const error = errorOfAnswer("sendTransaction", { ...answer, message: "no" });
    if (error === null) throw new Error("not an error");
    expect(sendRefusalKind(error)).toBe(kind);
  });
});
