import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  feeNumeratorToBps,
  getFeeSchedulerMinBaseFeeNumerator,
  getPriceFromSqrtPrice,
  TokenDecimal,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Keypair, PublicKey } from "@solana/web3.js";
import { type CurveConfig, curveBps } from "@tokenctl/shared/programs/curve-terms";
import BN from "bn.js";
import fc from "fast-check";
import { curveFeeFacts } from "../../../../sdk/src/verify/fee-facts.ts";
import { ChainUnavailableError } from "../errors.ts";
import { DEFAULT_CONFIG_TERMS } from "./config-terms.ts";
import { feesUnder } from "./create-config.ts";
import { earningsUnder, type FeeSplit, readEarnings } from "./pool-terms.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { launch, openLaunchpad, programFor, SOL } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { meteoraClients, sdkPositionFee } from "./testing/sdk.ts";
import { buyMigrated, soldOut } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("the terms of a config", () => {
  let cluster: MeteoraCluster;
  let wallet: Keypair;
  beforeAll(async () => {
    cluster = await openCluster();
    wallet = cluster.wallet(10n * SOL);
  });

  const termsOf = (config: PublicKey) => programFor(cluster, wallet, config).terms();

  test("are what the operator chose; after migration the fee is at most 10 %", async () => {
    const { config } = await openLaunchpad(cluster, { feeBps: 1_500, creatorShare: 70 });
    const terms = await termsOf(config);
    expect(terms).toEqual({
      curve: expect.any(Array),
      config: config.toBase58(),
      fees: {
        bondingCurve: { startBps: 1_500, endBps: 1_500, creatorSharePercent: 70 },
        liquidityPool: { startBps: 1_000, endBps: 1_000, creatorSharePercent: 70 },
      },
      once: { creationSOL: 0, migrationPercent: 0 },
    });
  });

  test("draw the curve from its first price to the one at which it migrates, as Meteora's SDK counts", async () => {
    const { config } = await openLaunchpad(cluster, {
      initialMarketCap: 30,
      migrationMarketCap: 300,
    });
    const { curve } = await termsOf(config);
    const state = await meteoraClients(cluster.connection).curve.state.getPoolConfig(config);
    if (!state) throw new Error("no config");
    const price = (sqrtPrice: BN) =>
      getPriceFromSqrtPrice(sqrtPrice, TokenDecimal.SIX, TokenDecimal.NINE).toNumber();
    expect(curve).toHaveLength(2);
    expect(curve[0]?.raisedSOL).toBe(0);
    expect(curve[0]?.priceSOL).toBeCloseTo(price(state.sqrtStartPrice), 20);
    const threshold = state.migrationQuoteThreshold.toNumber() / 1e9;
    expect(curve[1]?.raisedSOL).toBeCloseTo(threshold, 6);
    expect(curve[1]?.priceSOL).toBeCloseTo(price(state.migrationSqrtPrice), 20);
    // The market caps that the operator chose, of 10⁹ tokens.
    expect(curve.map(({ priceSOL }) => Math.round(priceSOL * 1e9))).toEqual([30, 300]);
  });

  test("are read once, and again after a failure", async () => {
    const missing = programFor(cluster, wallet, PublicKey.unique());
    await expect(missing.terms()).rejects.toBeInstanceOf(ChainUnavailableError);
    const nowhere = PublicKey.unique();
    await expect(readEarnings(cluster.connection, nowhere)).rejects.toThrow(
      `DBC_CONFIG: The bonding curve config ${nowhere} was not found`,
    );
    const { config } = await openLaunchpad(cluster);
    const program = programFor(cluster, wallet, config);
    cluster.calls.clear();
    await program.terms();
    await program.terms();
    expect(Object.fromEntries(cluster.calls)).toEqual({ getMultipleAccounts: 1 });
  });
});

test("a schedule's first and last fee are those of Meteora's own library", () => {
  const schedule = fc.record({
    cliff: fc.integer({ min: 2_500_000, max: 990_000_000 }),
    periods: fc.integer({ min: 1, max: 1_000 }),
    reduction: fc.integer({ min: 0, max: 9_999 }),
    mode: fc.constantFrom(0, 1),
  });
  fc.assert(
    fc.property(schedule, ({ cliff, periods, reduction, mode }) => {
      fc.pre(mode === 1 || cliff > periods * reduction);
      const [first, factor] = [new BN(cliff), new BN(reduction)];
      const last = getFeeSchedulerMinBaseFeeNumerator(first, periods, factor, mode);
      const [start, end] = [first, last].map(feeNumeratorToBps);
      const fee = { cliffFeeNumerator: BigInt(cliff), firstFactor: periods };
      const rest = { secondFactor: 1n, thirdFactor: BigInt(reduction), baseFeeMode: mode };
      expect<unknown>(curveBps({ ...fee, ...rest })).toEqual({ start, end });
    }),
  );
});

test("a limit on the size of trades makes large buys pay the most, and another mode is not known", () => {
  const factors = { firstFactor: 7, secondFactor: 1n, thirdFactor: 9n };
  const textIn = (baseFeeMode: number) => {
    const baseFee = { cliffFeeNumerator: 10_000_000n, ...factors, baseFeeMode };
    const poolFees = { baseFee, dynamicFee: { initialized: 0 } };
    const others = { activationType: 1, enableFirstSwapWithMinFee: 0 };
    const config = { collectFeeMode: 0, creatorTradingFeePercentage: 0, poolFees, ...others };
    return curveFeeFacts(config as CurveConfig, 0n)[0]?.text.split(", in ")[0];
  };
  expect(textIn(2)).toStartWith("1 %, and in the first 1 s up to 99 % for");
  expect(textIn(3)).toBe("unknown: a schedule in the way 3");
});

/** Lamports of each trade, and one percent of them. */
const TRADE = 10n * SOL;
const PERCENT = Number(TRADE) / 100;

describeMeteora("readEarnings", () => {
  test("returns what the programs pay after migration", async () => {
    const terms = { feeBps: 2_000, creatorShare: 80, creationLamports: 20_000_009n };
    const cluster = await openCluster();
    const launchpad = await openLaunchpad(cluster, terms);
    const { connection } = cluster;
    const { partner, terms: _, ...earnings } = await readEarnings(connection, launchpad.config);
    expect(partner).toBe(launchpad.launchWallet.publicKey.toBase58());
    expectSplit(earnings.curve, { fee: 20, agent: 12.8, partner: 3.2, protocol: 4 });
    expectSplit(earnings.pool, { fee: 10, agent: 6.4, partner: 1.6, protocol: 2 });
    expect(earningsUnder(feesUnder({ ...DEFAULT_CONFIG_TERMS, ...terms }))).toEqual(earnings);

    const agent = cluster.wallet(SOL);
    const trader = cluster.wallet(2_000n * SOL);
    const token = await launch(launchpad, agent.publicKey);
    const migrated = await soldOut(launchpad, token, trader);
    await buyMigrated(connection, { pool: migrated, trader }, TRADE);
    const feeOf = async ({ publicKey }: Keypair) =>
      Number(await sdkPositionFee(connection, migrated, publicKey));
    const pool = await meteoraClients(connection).liquidity.fetchPoolState(migrated);
    const paid = {
      agent: await feeOf(agent),
      partner: await feeOf(launchpad.launchWallet),
      protocol: Number(pool.protocolBFee),
    };
    for (const part of ["agent", "partner", "protocol"] as const) {
      expect(Math.abs(paid[part] - earnings.pool[part] * PERCENT)).toBeLessThanOrEqual(3);
    }
  });
});

function expectSplit(earnings: FeeSplit, expected: FeeSplit): void {
  for (const part of ["fee", "agent", "partner", "protocol"] as const) {
    expect(earnings[part]).toBeCloseTo(expected[part], 9);
  }
}
