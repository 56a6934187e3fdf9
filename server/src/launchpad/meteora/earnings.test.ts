import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair } from "@solana/web3.js";
import { DEFAULT_CONFIG_TERMS } from "./config-terms.ts";
import { feesUnder } from "./create-config.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { earningsUnder, type FeeSplit, readEarnings } from "./pool-terms.ts";
import { meteoraClients } from "./testing/clients.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { buy, migrate } from "./testing/curve-trades.ts";
import { launch, makeConfig, openLaunchpad, SOL } from "./testing/launchpad.ts";
import { buyMigrated } from "./testing/liquidity-trades.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { sdkPositionFee } from "./testing/sdk-fees.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** Lamports of each trade, and one percent of them. */
const TRADE = 10n * SOL;
const PERCENT = Number(TRADE) / 100;

describeMeteora("readEarnings", () => {
  let cluster: MeteoraCluster;

  beforeAll(async () => {
    cluster = await openCluster();
  });

  test.each([
    {
      terms: { feeBps: 100, creatorShare: 100, creationLamports: 0n },
      curve: { fee: 1, agent: 0.8, partner: 0, protocol: 0.2 },
      pool: { fee: 1, agent: 0.8, partner: 0, protocol: 0.2 },
    },
    {
      terms: { feeBps: 2_000, creatorShare: 80, creationLamports: 20_000_009n },
      curve: { fee: 20, agent: 12.8, partner: 3.2, protocol: 4 },
      pool: { fee: 10, agent: 6.4, partner: 1.6, protocol: 2 },
    },
  ])(
    "returns what the programs pay, at $terms.feeBps bps and a creator share of $terms.creatorShare %",
    async ({ terms, curve, pool }) => {
      const launchpad = await openLaunchpad(cluster, terms);
      const { connection } = cluster;
      const earnings = await readEarnings(connection, launchpad.config);
      expect(earnings.partner).toBe(launchpad.launchWallet.publicKey.toBase58());
      expectSplit(earnings.curve, curve);
      expectSplit(earnings.pool, pool);
      const { partner, ...under } = earnings;
      expect(earningsUnder(feesUnder({ ...DEFAULT_CONFIG_TERMS, ...terms }))).toEqual(under);

      const agent = cluster.wallet(SOL);
      const trader = cluster.wallet(2_000n * SOL);
      const token = await launch(launchpad, agent.publicKey);
      await buy(connection, { pool: token.pool, trader }, TRADE);
      const client = meteoraClients(connection);
      const breakdown = await client.curve.state.getPoolFeeBreakdown(token.pool);
      const { poolState } = (await client.curve.state.getPool(token.pool)) ?? {};
      expectPaid(earnings.curve, {
        agent: Number(breakdown.creator.totalQuoteFee),
        partner: Number(breakdown.partner.totalQuoteFee),
        protocol: Number(poolState?.protocolQuoteFee),
      });

      await buy(connection, { pool: token.pool, trader }, 1_000n * SOL);
      await migrate(connection, token.pool, trader);
      const migrated = liquidityPoolAddress(MigrationFeeOption.Customizable, token.mint);
      await buyMigrated(connection, { pool: migrated, trader }, TRADE);
      const feeOf = async (owner: Keypair) =>
        Number(await sdkPositionFee(connection, migrated, owner.publicKey));
      expectPaid(earnings.pool, {
        agent: await feeOf(agent),
        partner: terms.creatorShare === 100 ? 0 : await feeOf(launchpad.launchWallet),
        protocol: Number((await client.liquidity.fetchPoolState(migrated)).protocolBFee),
      });
    },
  );

  test("returns the fee of Meteora's config if a config migrates under one", async () => {
    const { config } = await openLaunchpad(cluster);
    expect((await readEarnings(cluster.connection, config)).pool.fee).toBe(1);
    const wallet = cluster.wallet(SOL);
    const fixed = await makeConfig(cluster, wallet, {
      migrationFeeOption: MigrationFeeOption.FixedBps200,
      migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
    });
    expect((await readEarnings(cluster.connection, fixed)).pool.fee).toBe(2);
  });

  test("reports a config that does not exist", async () => {
    const nowhere = Keypair.generate().publicKey;
    await expect(readEarnings(cluster.connection, nowhere)).rejects.toThrow(
      `DBC_CONFIG ${nowhere} is not on this cluster.`,
    );
  });
});

function expectSplit(earnings: FeeSplit, expected: FeeSplit): void {
  for (const part of ["fee", "agent", "partner", "protocol"] as const) {
    expect(earnings[part]).toBeCloseTo(expected[part], 9);
  }
}

function expectPaid(split: FeeSplit, paid: Omit<FeeSplit, "fee">): void {
  for (const part of ["agent", "partner", "protocol"] as const) {
    expect(Math.abs(paid[part] - split[part] * PERCENT)).toBeLessThanOrEqual(3);
  }
}
