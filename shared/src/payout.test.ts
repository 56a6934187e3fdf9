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

test.each([
  [
    "everything that left the vaults",
    [
      [POOL, "700", "200"],
      [POOL, "50", "0"],
    ],
    550n,
  ],
  [
    "not the agent's own wrapped SOL",
    [
      [POOL, "700", "600"],
      [AGENT, "90", null],
    ],
    100n,
  ],
  ["everything in a vault that was closed", [[POOL, "5", null]], 5n],
  [
    "no other token, and no vault that gained",
    [
      [POOL, "9", "0", AGENT],
      [POOL, "1", "4"],
    ],
    0n,
  ],
  ["exact above 2^53", [[POOL, "18446744073709551615", "1"]], 18_446_744_073_709_551_614n],
  ["0 without balances", [], 0n],
] as const)("the payout is %s", (_, accounts, paid) => {
  const at = (side: 1 | 2) =>
    accounts.flatMap((account, index) => {
      const [owner, , , mint] = account as readonly [string, string, string | null, string?];
      const amount = account[side];
      return amount === null ? [] : [balance(index, owner, amount, mint)];
    });
  const balances = { preTokenBalances: at(1), postTokenBalances: at(2) };
  expect(payoutOf(accounts.length > 0 ? balances : { preTokenBalances: null }, AGENT)).toBe(paid);
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
