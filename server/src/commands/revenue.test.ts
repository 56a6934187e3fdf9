import { expect, test } from "bun:test";
import type { EarningToken } from "./earnings.ts";
import { renderRevenue } from "./revenue.ts";

const NOTHING = { claimable: 0n, claimed: 0n, total: 0n };
const earned = (claimable: bigint, claimed: bigint) => ({
  claimable,
  claimed,
  total: claimable + claimed,
});
const token = (
  ticker: string,
  revenue: EarningToken["revenue"],
  migrationLamports: bigint | null = null,
  launchLamports: bigint | null = 12_000_000n,
): EarningToken => ({
  ticker,
  revenue,
  launchLamports,
  migrationLamports,
  tips: ticker === "ONE" ? 30_000n : 0n,
  tokenMint: `mint-${ticker}`,
  poolAddress: `pool-${ticker}`,
  wallet: "agent",
});
const IDLE = {
  curve: NOTHING,
  position: NOTHING,
  surplus: NOTHING,
  creationFee: NOTHING,
};
const TOKENS = [
  token(
    "ONE",
    {
      curve: earned(1n, 1_000_000_000n),
      position: earned(20n, 0n),
      surplus: earned(0n, 300n),
      creationFee: earned(0n, 18_000_000n),
    },
    32_518_200n,
    null,
  ),
  token("TWO", { ...IDLE, curve: earned(500_000_000n, 0n) }),
  token("THREE", IDLE),
  token("FOUR", { unreadable: "The pool was not found" }),
];

const ACCOUNTS = {
  tokens: TOKENS,
  collections: [
    { status: "confirmed", feeLamports: 15_000n, tipLamports: 10_000n },
    // A transaction that failed on chain took its fee, but no tip.
    { status: "failed", feeLamports: 5_000n, tipLamports: 10_000n },
  ],
} as const;

test("revenue is shown in total and by token, with what cannot be read", () => {
  expect(renderRevenue("operator", ACCOUNTS, false).split("\n")).toEqual([
    "What operator has earned from 3 tokens",
    "",
    "                  earned SOL  collected   to collect",
    "all tokens       1.518000321  1.0180003  0.500000021",
    "launches took         -0.036",
    "migrations took   -0.0325182",
    "collecting took     -0.00002",
    "of that in tips     -0.00004",
    "left             1.449462121",
    "",
    "ticker  mint         earned SOL  collected   to collect       took",
    "ONE     mint-ONE    1.018000321  1.0180003  0.000000021  0.0325182",
    "TWO     mint-TWO            0.5          0          0.5      0.012",
    "THREE   mint-THREE            0          0            0      0.012",
    "",
    "FOUR mint-FOUR: The pool was not found",
  ]);
});

test("revenue as JSON is exact", () => {
  const json = JSON.parse(renderRevenue("operator", ACCOUNTS, true));
  expect(json).toMatchObject({
    wallet: "operator",
    unit: "lamports",
    total: { claimable: "500000021", claimed: "1018000300", total: "1518000321" },
    costs: { launches: "36000000", migrations: "32518200", collections: "20000" },
    tips: "40000",
    net: "1449462121",
    unreadable: [{ ticker: "FOUR", reason: "The pool was not found" }],
  });
  expect(json.tokens).toHaveLength(3);
});
