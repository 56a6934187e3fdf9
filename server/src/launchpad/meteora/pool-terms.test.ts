import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  BaseFeeMode,
  type ConfigParameters,
  getBaseFeeParams,
  getPriceFromSqrtPrice,
  MigrationFeeOption,
  TokenDecimal,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Keypair, PublicKey } from "@solana/web3.js";
import type BN from "bn.js";
import { ChainUnavailableError } from "../errors.ts";
import { meteoraClients } from "./testing/clients.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { makeConfig, openLaunchpad, programFor, SOL } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";

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

  test("have the fee that a schedule begins with and the one that it ends with", async () => {
    const baseFee = getBaseFeeParams({
      baseFeeMode: BaseFeeMode.FeeSchedulerLinear,
      feeSchedulerParam: {
        startingFeeBps: 5_000,
        endingFeeBps: 100,
        numberOfPeriod: 10,
        totalDuration: 100,
      },
    });
    const poolFees: ConfigParameters["poolFees"] = { baseFee, dynamicFee: null };
    const { fees } = await termsOf(await makeConfig(cluster, wallet, { poolFees }));
    expect(fees.bondingCurve).toMatchObject({ startBps: 5_000, endBps: 100 });
  });

  test("know the fixed fees of Meteora's own configs", async () => {
    const config = await makeConfig(cluster, wallet, {
      migrationFeeOption: MigrationFeeOption.FixedBps200,
      migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
    });
    expect((await termsOf(config)).fees.liquidityPool).toMatchObject({ startBps: 200 });
  });

  test("take no call once the config is checked", async () => {
    const { config } = await openLaunchpad(cluster);
    const program = programFor(cluster, wallet, config);
    await program.checkConfig();
    cluster.calls.clear();
    expect((await program.terms()).config).toBe(config.toBase58());
    expect(Object.fromEntries(cluster.calls)).toEqual({});
  });

  test("are read once, and again after a failure", async () => {
    const missing = programFor(cluster, wallet, PublicKey.unique());
    await expect(missing.terms()).rejects.toBeInstanceOf(ChainUnavailableError);
    const { config } = await openLaunchpad(cluster);
    const program = programFor(cluster, wallet, config);
    cluster.calls.clear();
    await program.terms();
    await program.terms();
    expect(Object.fromEntries(cluster.calls)).toEqual({ getMultipleAccounts: 1 });
  });
});
