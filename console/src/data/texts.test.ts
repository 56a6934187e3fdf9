import { expect, test } from "bun:test";
import { type ClaimCost, type ClaimRecord, type Fact, proofVerdict } from "@tokenctl/sdk";
import { deliveryWords, eventWords, reasonOf, stepOf } from "../parts/words.ts";
import { earnedByDay } from "./earnings.ts";
import { EMPTY_FORM, toRequest } from "./launch-request.ts";
import { explorerLink, network } from "./network.ts";
import { alignedSol, roundMarks, shortSol } from "./numbers.ts";
import type { Session } from "./shared.ts";
import { claimingOf, Declined, question } from "./signing.ts";

test.each([
  [0n, "0"],
  [1n, "0.000000001"],
  [12_345_678n, "0.01234"],
  [10_000_000n, "0.01"],
  [1_999_999_999n, "1.999"],
  [123_456_789_000n, "123.4"],
  [12_345_000_000_000n, "12,340"],
])("%p lamports are shown as %p SOL: four digits, never more than there is", (lamports, text) =>
  expect(shortSol(lamports)).toBe(text),
);

test("a chain of a newer service has no link, as an explorer would take it for mainnet-beta", () => {
  const links = ["mainnet-beta", "devnet", "newer", "localnet"].map((name) => {
    network.set(name as "devnet");
    return explorerLink("tx", "x");
  });
  network.set(null);
  const tx = "https://explorer.solana.com/tx/x";
  expect([...links, explorerLink("tx", "x")]).toEqual([
    ...[tx, `${tx}?cluster=devnet`, null, null, null],
  ]);
});

test("amounts of a column have the same decimals, and none is shown as nothing", () =>
  expect([0n, 1n, 99_999n, 100_000n, 12_345_678_999n].map(alignedSol)).toEqual([
    "0.0000",
    "< 0.0001",
    "< 0.0001",
    "0.0001",
    "12.3456",
  ]));

test("a request has no empty fields", () => {
  const form = { ...EMPTY_FORM, name: "Wif hat", ticker: "WIF", telegram: "https://t.me/wif" };
  expect(toRequest(form)).toEqual({
    name: "Wif hat",
    ticker: "WIF",
    telegram: "https://t.me/wif",
  });
});

test.each([
  [1.3, [0, 0.5, 1, 1.5]],
  [0.0974, [0, 0.05, 0.1]],
  [0, [0, 0.5, 1]],
])("an axis up to %p has the marks %p", (most, marks) => expect(roundMarks(most)).toEqual(marks));

test("a launch waits at the step that its transaction has reached", () => {
  const step = (waitingFor: "queue" | "deployment" | "confirmation") =>
    stepOf({ status: "pending", waitingFor });
  expect([step("queue"), step("deployment"), step("confirmation")]).toEqual([0, 1, 2]);
  expect(stepOf({ status: "success" })).toBe(3);
});

test("no word of the API reaches people", () => {
  const sent = { number: 1, createdAt: "", attemptedAt: null, httpStatus: null, problem: null };
  const delivery = { ...sent, event: 12, attempts: 2, status: "delivered" } as const;
  expect([
    deliveryWords({ ...delivery, kind: "event" }),
    deliveryWords({ ...delivery, kind: "event", attempts: 1, status: "pending" }),
    deliveryWords({ ...delivery, kind: "later" as never, event: null, status: "failed" }),
    reasonOf({ status: "rate_limited", error: null }),
    eventWords({ type: "token.renamed", data: { ticker: "WIF", tokenMints: [] } } as never),
  ]).toEqual([
    "event 12 was accepted after 2 attempts",
    "event 12 waits",
    "message failed after 2 attempts",
    "one token a day",
    "There is news of WIF",
  ]);
});

test("a proof's sentence begins with what is not known, and names the largest cost", () => {
  const fact = (name: string, verdict: Fact["verdict"], passes = true, amount = 0, atMost = 0) =>
    ({
      name,
      verdict,
      passes,
      cost: amount ? { amount, of: "% of a trade", atMost } : null,
    }) as Fact;
  const facts = [
    fact("token", "safe"),
    fact("curve_fees", "costs", true, 2, 10),
    fact("pool_fees", "costs", true, 3, 12),
    fact("metadata", "unknown"),
  ];
  expect(proofVerdict({ passed: true, facts })).toBe(
    "Passes: 1 not known (Metadata), 2 with a cost, 1 safe; the largest costs 3 % of a trade.",
  );
  const failing = [
    ...facts,
    fact("curve_fees", "costs", false, 50, 10),
    fact("pool", "wrong", false),
  ];
  expect(proofVerdict({ passed: false, facts: failing })).toBe(
    "Does not pass: 1 not known (Metadata), 1 wrong (Pool), 3 with a cost (Curve fees), 1 safe; the largest costs 50 % of a trade.",
  );
});

const day = (n: number) => Date.UTC(2026, 0, 1 + n);
const paid = (n: number, claimedLamports: string) => ({
  claimedAt: new Date(day(n) + 1).toISOString(),
  claimedLamports,
});

test("each day has what was paid on it, and all of them begin with the first", () => {
  const claims = [paid(6, "500000000"), paid(2, "1000000000"), paid(2, "1")];
  const week = earnedByDay(claims, day(8), 7);
  expect(week.map((each) => each.paid)).toEqual([1.000000001, 0, 0, 0, 0.5, 0, 0]);
  expect(week.at(-1)?.from).toBe(day(8));
  expect(earnedByDay(claims, day(365), null)).toHaveLength(364);
  expect(earnedByDay([], day(8), null)).toHaveLength(7);
});

test("the question of a claim names only the tokens that its transaction takes, and their sum", async () => {
  globalThis.localStorage ??= { getItem: () => null } as unknown as Storage;
  const records = ["A", "B", "C"].map(
    (ticker, n) => ({ ticker, tokenMint: `mint ${ticker}`, claimableSOL: 10 ** n }) as ClaimRecord,
  );
  const cost = { tokenMints: ["mint C", "mint A"] } as unknown as ClaimCost;
  const session = { address: "wallet" } as Session;
  const answered = claimingOf(session, records).approve?.(cost, "");
  await Promise.resolve();
  expect(question.value).toMatchObject({ tickers: ["A", "C"], claimable: 101_000_000_000n });
  question.value?.answer(false);
  await expect(answered).rejects.toBeInstanceOf(Declined);
});
