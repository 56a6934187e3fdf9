import { expect, test } from "bun:test";
import { NATIVE_MINT } from "@solana/spl-token";
import type { TokenBalance } from "@solana/web3.js";
import { payoutOf, payoutsOf } from "./payout.ts";

const AGENT = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";
const POOL = "HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC";
const WSOL = NATIVE_MINT.toBase58();

function balance(accountIndex: number, owner: string, amount: string, mint = WSOL): TokenBalance {
  return { accountIndex, mint, owner, uiTokenAmount: { amount, decimals: 9, uiAmount: null } };
}

test("the payout is everything that left the vaults", () => {
  const paid = payoutOf(
    {
      preTokenBalances: [balance(1, POOL, "700"), balance(2, POOL, "50")],
      postTokenBalances: [balance(1, POOL, "200"), balance(2, POOL, "0")],
    },
    AGENT,
  );
  expect(paid).toBe(550n);
});

test("the agent's own wrapped SOL is not counted", () => {
  const paid = payoutOf(
    {
      preTokenBalances: [balance(1, POOL, "700"), balance(3, AGENT, "90")],
      postTokenBalances: [balance(1, POOL, "600")],
    },
    AGENT,
  );
  expect(paid).toBe(100n);
});

test("a vault that was closed has paid everything", () => {
  expect(
    payoutOf({ preTokenBalances: [balance(1, POOL, "5")], postTokenBalances: [] }, AGENT),
  ).toBe(5n);
});

test("other tokens and vaults that gained are not counted", () => {
  const paid = payoutOf(
    {
      preTokenBalances: [balance(1, POOL, "9", AGENT), balance(2, POOL, "1")],
      postTokenBalances: [balance(1, POOL, "0", AGENT), balance(2, POOL, "4")],
    },
    AGENT,
  );
  expect(paid).toBe(0n);
});

test("amounts above 2^53 stay exact", () => {
  const paid = payoutOf(
    {
      preTokenBalances: [balance(1, POOL, "18446744073709551615")],
      postTokenBalances: [balance(1, POOL, "1")],
    },
    AGENT,
  );
  expect(paid).toBe(18_446_744_073_709_551_614n);
});

test("the payout is 0 without balances", () => {
  expect(payoutOf({ preTokenBalances: null }, AGENT)).toBe(0n);
});

test("what vaults paid is listed by account", () => {
  const { owner: _, ...unnamed } = balance(4, POOL, "9");
  const payouts = payoutsOf(
    { preTokenBalances: [balance(1, POOL, "700"), unnamed], postTokenBalances: [] },
    AGENT,
  );
  expect(payouts).toEqual([
    { accountIndex: 1, lamports: 700n },
    { accountIndex: 4, lamports: 9n },
  ]);
});
