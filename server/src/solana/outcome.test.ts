import { describe, expect, test } from "bun:test";
import { createConnection } from "./connection.ts";
import { readStatuses, type SignatureStatus } from "./outcome.ts";
import { errorOfAnswer } from "./rpc-answer.ts";
import { type SendRefusalKind, sendRefusalKind } from "./transaction-error.ts";

function read(result: unknown, signatures = ["a"]) {
  const fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, result });
  return readStatuses(createConnection("http://node.invalid", { fetch }), signatures, true);
}

async function kindOf(entry: unknown): Promise<SignatureStatus> {
  const { slot, statuses } = await read({ context: { slot: 7 }, value: [entry] });
  expect(slot).toBe(7);
  return statuses[0] as SignatureStatus;
}

const landed = { slot: 5, confirmations: 3, err: null, confirmationStatus: "confirmed" };
const { confirmations: _, ...withoutConfirmations } = landed;
const { confirmationStatus: __, ...withoutWord } = landed;

test.each<[string, unknown, SignatureStatus["kind"]]>([
  ["no entry", null, "unknown"],
  ["the word confirmed", landed, "landed"],
  ["the word finalized", { ...landed, confirmationStatus: "finalized" }, "landed"],
  ["confirmed without confirmations", withoutConfirmations, "landed"],
  ["confirmed with fields of later versions", { ...landed, votes: { seen: true } }, "landed"],
  [
    "confirmed, with status in place of err",
    { ...landed, err: undefined, status: { Ok: null } },
    "landed",
  ],
  [
    "processed with confirmations null",
    { ...landed, confirmations: null, confirmationStatus: "processed" },
    "pending",
  ],
  ["an unknown word", { ...landed, confirmationStatus: "notarized" }, "pending"],
  [
    "an unknown word with confirmations null",
    { ...landed, confirmations: null, confirmationStatus: "notarized" },
    "pending",
  ],
  ["no word, confirmations null", { ...withoutWord, confirmations: null }, "landed"],
  ["no word, some confirmations", withoutWord, "pending"],
  ["neither word nor confirmations", { slot: 5, err: null }, "pending"],
  ["a word that is not a text", { ...landed, confirmationStatus: 1 }, "pending"],
  [
    "confirmed without saying whether it failed",
    { ...withoutConfirmations, err: undefined },
    "pending",
  ],
  ["something else than an object", "confirmed", "pending"],
])("a status with %s is understood", async (_, entry, kind) => {
  expect((await kindOf(entry)).kind).toBe(kind);
});

test.each([
  [{ err: { InstructionError: [0, { Custom: 1 }] } }],
  [{ err: undefined, status: { Err: { InstructionError: [0, { Custom: 1 }] } } }],
])("a confirmed failure carries its error: %j", async (fields) => {
  expect(await kindOf({ ...landed, ...fields })).toEqual({
    kind: "failed",
    error: { InstructionError: [0, { Custom: 1 }] },
  });
});

test("one entry that cannot be understood leaves the others as they are", async () => {
  const { statuses } = await read({ context: { slot: 7 }, value: [{}, landed, null] }, [
    "a",
    "b",
    "c",
  ]);
  expect(statuses.map(({ kind }) => kind)).toEqual(["pending", "landed", "unknown"]);
});

test.each([
  [{ value: [null] }],
  [{ context: { slot: "7" }, value: [null] }],
  [{ context: { slot: 7 }, value: [] }],
  [{ context: { slot: 7 }, value: null }],
  [null],
])("an answer without a slot or a status for each signature proves nothing: %j", async (result) => {
  await expect(read(result)).rejects.toMatchObject({ kind: "garbage" });
});

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
