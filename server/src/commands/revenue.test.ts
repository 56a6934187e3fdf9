import { expect, test } from "bun:test";
import type { EarningToken } from "./earnings.ts";
import { costsOf, renderLedger, renderRevenue } from "./revenue.ts";

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
  isPartner: true,
  isMigrated: false,
  curve: NOTHING,
  position: NOTHING,
  surplus: NOTHING,
  migrationFee: NOTHING,
  creationFee: NOTHING,
};
const TOKENS = [
  token(
    "ONE",
    {
      isPartner: true,
      isMigrated: true,
      curve: earned(1n, 1_000_000_000n),
      position: earned(20n, 0n),
      surplus: earned(0n, 300n),
      migrationFee: earned(4_000n, 0n),
      creationFee: earned(0n, 18_000_000n),
    },
    32_518_200n,
    null,
  ),
  token("TWO", { ...IDLE, curve: earned(500_000_000n, 0n) }),
  token("THREE", { ...IDLE, isPartner: false }),
  token("FOUR", { unreadable: "The pool was not found" }),
];

const accountsOf = (tokens: readonly EarningToken[], share = 0.8) => ({
  tokens,
  share,
  costs: costsOf(tokens, [
    { status: "confirmed", feeLamports: 15_000n, tipLamports: 10_000n },
    // A transaction that failed on chain took its fee, but no tip.
    { status: "failed", feeLamports: 5_000n, tipLamports: 10_000n },
  ]),
});
const ACCOUNTS = accountsOf(TOKENS);

test("revenue is shown by source and by token, with what cannot be read", () => {
  expect(renderRevenue("operator", ACCOUNTS, {}).split("\n")).toEqual([
    "What operator has earned from 3 tokens",
    "",
    "                       earned SOL  collected   to collect",
    "fees on the curve     1.500000001          1  0.500000001",
    "fees after migration   0.00000002          0   0.00000002",
    "surplus of curves       0.0000003  0.0000003            0",
    "migration fees           0.000004          0     0.000004",
    "creation fees               0.018      0.018            0",
    "in all                1.518004321  1.0180003  0.500004021",
    "launches took              -0.036",
    "migrations took        -0.0325182",
    "collecting took          -0.00002",
    "of that in tips          -0.00004",
    "left                  1.449466121",
    "",
    "ticker  mint       earned SOL  collected   to collect       took         left",
    "ONE     mint-ONE  1.018004321  1.0180003  0.000004021  0.0325182  0.985486121",
    "TWO     mint-TWO          0.5          0          0.5      0.012        0.488",
    "",
    "Tokens that have earned nothing: 1; they took 0.012 SOL",
    "",
    "A launch took 0.012 SOL on average and pays for itself after trades of 1.5 SOL on its curve; this wallet earns 0.8 % of them",
    "",
    "Tokens with another wallet as their partner: 1",
    "",
    "FOUR mint-FOUR: The pool was not found",
  ]);
});

test("revenue as JSON and CSV is exact", () => {
  const json = JSON.parse(renderRevenue("operator", ACCOUNTS, { json: true }));
  expect(json).toMatchObject({
    wallet: "operator",
    unit: "lamports",
    total: { claimable: "500004021", claimed: "1018000300", total: "1518004321" },
    surplus: { claimable: "0", claimed: "300", total: "300" },
    costs: { launches: "36000000", migrations: "32518200", collections: "20000" },
    tips: "40000",
    net: "1449466121",
    averageLaunch: "12000000",
    breakEvenVolume: "1500000000",
    unreadable: [{ ticker: "FOUR", reason: "The pool was not found" }],
  });
  expect(json.tokens).toHaveLength(3);
  expect(renderRevenue("operator", ACCOUNTS, { csv: true }).split("\n")).toEqual([
    "ticker,token_mint,pool_address,agent,is_migrated," +
      "curve_earned_lamports,curve_collected_lamports," +
      "position_earned_lamports,position_collected_lamports," +
      "surplus_earned_lamports,surplus_collected_lamports," +
      "migration_fee_earned_lamports,migration_fee_collected_lamports," +
      "creation_fee_earned_lamports,creation_fee_collected_lamports," +
      "earned_lamports,collected_lamports,launch_lamports,migration_lamports",
    "ONE,mint-ONE,pool-ONE,agent,true,1000000001,1000000000,20,0,300,300,4000,0,18000000,18000000,1018004321,1018000300,,32518200",
    "TWO,mint-TWO,pool-TWO,agent,false,500000000,0,0,0,0,0,0,0,0,0,500000000,0,12000000,",
    "THREE,mint-THREE,pool-THREE,agent,false,0,0,0,0,0,0,0,0,0,0,0,0,12000000,",
  ]);
});

test("a launch pays for itself sooner by the creation fee that it paid, not by that of others", () => {
  const textOf = (...paid: readonly (bigint | null)[]) => {
    const creationFee = earned(18_000_000n, 0n);
    const tokens = paid.map((lamports) => {
      const isWithout = lamports === 12_000_000n;
      const fee = isWithout ? NOTHING : creationFee;
      return token("FEE", { ...IDLE, creationFee: fee }, null, lamports);
    });
    return renderRevenue("operator", accountsOf(tokens), {});
  };
  const withFee = "A launch took 0.032 SOL on average, got 0.018 SOL back as its creation fee and";
  expect(textOf(32_000_000n)).toContain(`${withFee} pays for itself after trades of 1.75 SOL`);
  // The agent of the other launch paid for it, and its creation fee.
  expect(textOf(12_000_000n, null)).toContain(
    "0.012 SOL on average and pays for itself after trades of 1.5 SOL",
  );
  expect(textOf(null)).not.toContain("on average");
});

test("a wallet that earns nothing of trades is told so, and without a launch nothing is", () => {
  expect(renderRevenue("operator", accountsOf(TOKENS, 0), {})).toContain(
    "A launch took 0.012 SOL on average; this wallet earns nothing of trades on the curve",
  );
  expect(renderRevenue("operator", accountsOf([]), {})).not.toContain("on average");
});

test("the ledger shows each collection, and as CSV what came from each token", () => {
  const row = {
    id: 1,
    wallet: "operator",
    signature: "signature",
    status: "confirmed" as const,
    transaction: null,
    lastValidBlockHeight: 1,
    submittedAt: 0,
    settledAt: 1_000,
    paidLamports: 1_000_000_007n,
    feeLamports: 5_000n,
    tipLamports: null,
    tokens: [
      { tokenMint: "mint-ONE", vaults: [], lamports: "1000000000" },
      { tokenMint: "mint-TWO", vaults: [], lamports: "7" },
    ],
  };
  const lost = { ...row, status: "expired" as const, paidLamports: null, feeLamports: 0n };
  expect(renderLedger([row, lost], {})).toBe(
    [
      "time                      collected SOL       fee  tokens             signature",
      "1970-01-01T00:00:01.000Z    1.000000007  0.000005       2  confirmed  signature",
      "1970-01-01T00:00:01.000Z              0         0       2  expired    signature",
    ].join("\n"),
  );
  expect(renderLedger([row, lost], { csv: true }).split("\n")).toEqual([
    "time,signature,status,token_mint,lamports",
    "1970-01-01T00:00:01.000Z,signature,confirmed,mint-ONE,1000000000",
    "1970-01-01T00:00:01.000Z,signature,confirmed,mint-TWO,7",
    "1970-01-01T00:00:01.000Z,signature,expired,mint-ONE,0",
    "1970-01-01T00:00:01.000Z,signature,expired,mint-TWO,0",
  ]);
  expect(JSON.parse(renderLedger([row], { json: true }))).toMatchObject([
    { status: "confirmed", paidLamports: "1000000007", feeLamports: "5000" },
  ]);
});
