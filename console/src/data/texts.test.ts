import { expect, test } from "bun:test";
import { type ClaimCost, type ClaimRecord, type Fact, proofVerdict } from "@tokenctl/sdk";
import { deliveryWords, eventWords, reasonOf, stepOf } from "../parts/words.ts";
import { beginOf, earnedByDay, earnedPerDay } from "./earnings.ts";
import { EMPTY_FORM, linkOf, toRequest } from "./launch-request.ts";
import { changesOf } from "./market.ts";
import { explorerLink, network } from "./network.ts";
import { alignedSol, roundMarks, shortSol } from "./numbers.ts";
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

test("what a curve took follows from its prices, also across its places, and nothing after its end", () => {
  const curve = [
    { raisedSOL: 0, priceSOL: 1 },
    { raisedSOL: 10, priceSOL: 4 },
    { raisedSOL: 40, priceSOL: 9 },
  ];
  const prices = [1, 2.25, 6.25, 4, 9, 20, 30].map((priceSOL, n) => ({ at: `${n}`, priceSOL }));
  expect(changesOf(curve, prices)).toEqual([
    { at: "4", sol: 30 },
    { at: "3", sol: -15 },
    { at: "2", sol: 20 },
    { at: "1", sol: 5 },
  ]);
});

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

test.each([
  ["@name", "https://x.com/name"],
  ["name", "https://x.com/name"],
  ["x.com/name", "https://x.com/name"],
  [" https://x.com/name ", "https://x.com/name"],
  ["not a link", "not a link"],
])("the page on X may be typed as %p", (typed, url) => expect(linkOf(typed, "x.com")).toBe(url));

test("a website may lack its scheme, and a name alone is none", () => {
  expect(linkOf("example.com/a?b")).toBe("https://example.com/a?b");
  expect(linkOf("example")).toBe("example");
});

test("a request has no empty fields", () => {
  const form = { ...EMPTY_FORM, name: "Wif hat", ticker: "WIF", telegram: "@wif" };
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
    deliveryWords({ ...delivery, kind: "replay", attempts: 1, status: "pending" }),
    deliveryWords({ ...delivery, kind: "later" as never, event: null, status: "failed" }),
    reasonOf({ status: "rate_limited", error: null }),
    eventWords({ type: "token.renamed", data: { ticker: "WIF", tokenMints: [] } } as never).text,
  ]).toEqual([
    "event 12 was accepted after 2 attempts",
    "event 12, sent again, waits",
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
  expect(proofVerdict({ passed: true, facts }).sentence).toBe(
    "Passes: of 4 facts 1 is not known (Metadata), 1 is safe and 2 cost something within limits; the closest to its limit costs 3 % of a trade.",
  );
  const failing = [
    ...facts,
    fact("curve_fees", "costs", false, 50, 10),
    fact("pool", "wrong", false),
  ];
  expect(proofVerdict({ passed: false, facts: failing }).sentence).toBe(
    "Does not pass; 1 not known: Metadata; wrong: Pool; costs more than its limit: Curve fees; the furthest above it costs 50 % of a trade.",
  );
});

const day = (n: number) => Date.UTC(2026, 0, 1 + n);
const paid = (n: number, claimedLamports: string) => ({
  claimedAt: new Date(day(n) + 1).toISOString(),
  claimedLamports,
});

test("each day has what was paid on it, and the last one what can be claimed now", () => {
  const claims = [paid(6, "500000000"), paid(2, "1000000000"), paid(2, "1")];
  const span = { begun: day(0), now: day(8) };
  const week = earnedByDay(claims, 2_500_000_000n, { ...span, days: 7 });
  const nothing = [0, 0];
  expect(week.map(({ values }) => [...values])).toEqual([
    [1.000000001, 0],
    ...[nothing, nothing, nothing],
    [0.5, 0],
    nothing,
    [0, 2.5],
  ]);
  expect(week.at(-1)?.from).toBe(day(8));
  expect(earnedByDay(claims, 0n, { ...span, days: null })).toHaveLength(9);
  // A year is 53 bars of a week, and their sum loses nothing.
  const year = earnedByDay(claims, 0n, { begun: day(0), now: day(365), days: null });
  expect(year).toHaveLength(53);
  expect(year.reduce((sum, { values }) => sum + values[0], 0)).toBeCloseTo(1.500000001, 9);
  expect(earnedPerDay(claims, 4_000_000_000n, span)).toBe(0.5);
  expect(earnedPerDay([], 1n, { begun: day(0), now: day(0.9) })).toBeNull();
});

test("the question of a claim names only the tokens that its transaction takes, and their sum", async () => {
  globalThis.localStorage ??= { getItem: () => null } as unknown as Storage;
  const records = ["A", "B", "C"].map(
    (ticker, n) => ({ ticker, tokenMint: `mint ${ticker}`, claimableSOL: 10 ** n }) as ClaimRecord,
  );
  const cost = { tokenMints: ["mint C", "mint A"] } as unknown as ClaimCost;
  const answered = claimingOf("wallet", records).approve?.(cost, new Date(), "");
  expect(question.value).toMatchObject({ tickers: ["A", "C"], claimable: 101_000_000_000n });
  question.value?.answer(false);
  await expect(answered).rejects.toBeInstanceOf(Declined);
});

test("a received token counts from its first payout, not from its launch by another wallet", () => {
  const received = { deployedAt: "2025-01-01T00:00:00Z", launchedBy: "another" };
  const [own, now] = ["2026-01-01T00:00:00Z", Date.UTC(2026, 0, 9)];
  const claims = [{ claimedAt: "2026-01-07T00:00:00Z", claimedLamports: "1000000000" }];
  expect(beginOf([received, { deployedAt: own }])).toBe(Date.parse(own));
  const span = { begun: beginOf([received]), now };
  expect(earnedPerDay(claims, 1_000_000_000n, span)).toBe(0.5);
});
