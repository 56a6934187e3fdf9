import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { TokenAuthorityOption, TokenType } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type ConfigTerms, DEFAULT_CONFIG_TERMS, TOKEN_STANDARDS } from "./config-terms.ts";
import { CONFIG_BYTES, configParameters } from "./create-config.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { openLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { meteoraClients } from "./testing/sdk.ts";

setDefaultTimeout(ON_CHAIN_MS);

describe("configParameters", () => {
  test.each([
    [{ feeBps: 24 }, "the fee is 24 bps; it can be 25 to 9900"],
    [{ feeBps: 9_901 }, "the fee is 9901 bps; it can be 25 to 9900"],
    [{ feeBps: 100.5 }, "the fee is 100.5 bps; it can be 25 to 9900"],
    [{ creatorShare: 0 }, "the creator share is 0 %; it can be 1 to 100"],
    [{ creatorShare: 101 }, "the creator share is 101 %; it can be 1 to 100"],
    [{ startFeeBps: 100 }, "the first fee is 100 bps; it can be 101 to 9900"],
    [{ startFeeBps: 5_000, fallSeconds: 0 }, "the time in which it falls is 0 s; it can be 1 to"],
    [{ vestingShare: 91 }, "the vesting share is 91 %; it can be 1 to 90"],
    [{ vestingShare: 60, creatorShare: 50 }, "the vesting share is 60 %; it can be 1 to 50"],
    [{ initialMarketCap: 0 }, "the market cap goes from 0 to 300 SOL"],
    [{ initialMarketCap: Number.NaN }, "the market cap goes from NaN to 300 SOL"],
    [{ migrationMarketCap: 30 }, "the market cap goes from 30 to 30 SOL"],
  ])("refuses %j", (terms, message) => {
    expect(() => configParameters({ ...DEFAULT_CONFIG_TERMS, ...terms })).toThrow(message);
  });
});

describeMeteora("createConfig", () => {
  let cluster: MeteoraCluster;

  beforeAll(async () => {
    cluster = await openCluster();
  });

  test("creates a config that gives the launch wallet what is not the agent's share", async () => {
    const { config, launchWallet } = await openLaunchpad(cluster, { creatorShare: 70 });
    const made = await meteoraClients(cluster.connection).curve.state.getPoolConfig(config);
    expect(made).toMatchObject({
      creatorTradingFeePercentage: 70,
      creatorPermanentLockedLiquidityPercentage: 70,
      partnerPermanentLockedLiquidityPercentage: 30,
      migratedPoolFeeBps: 100,
      collectFeeMode: 0,
      migratedCollectFeeMode: 0,
      feeClaimer: launchWallet.publicKey,
      tokenType: TokenType.Token2022,
      tokenUpdateAuthority: TokenAuthorityOption.Immutable,
    });
    expect(made?.poolFees.baseFee.cliffFeeNumerator.toNumber()).toBe(10_000_000);
    expect(cluster.chain.getAccount(config)?.data).toHaveLength(CONFIG_BYTES);
  });

  const accepted: readonly Partial<ConfigTerms>[] = [
    ...TOKEN_STANDARDS.map((tokenStandard) => ({ tokenStandard })),
    { feeBps: 25 },
    { feeBps: 9_900 },
    { creatorShare: 1 },
    { initialMarketCap: 0.5, migrationMarketCap: 5 },
    { initialMarketCap: 1_000, migrationMarketCap: 1_000_000 },
    { initialMarketCap: 29.999, migrationMarketCap: 30 },
    { feeBps: 25, startFeeBps: 9_900, fallSeconds: 7 * 86_400, firstBuyAtLowestFee: true },
    { startFeeBps: 101, fallSeconds: 1, fallShape: "linear" },
    { startFeeBps: 5_000, fallSeconds: 601, dynamicFee: true },
    { vestingShare: 90, vestingDays: 730 },
    { vestingShare: 50, creatorShare: 50, vestingDays: 2 },
    { creationLamports: 1_000_000n },
    { creationLamports: 100_000_000_000n },
  ];
  test.each(accepted.map((terms) => [Bun.inspect(terms, { compact: true }), terms] as const))(
    "creates a config under which agents can launch with %s",
    async (_, terms) => {
      const { program } = await openLaunchpad(cluster, terms);
      expect(await program.checkConfig()).toBeNull();
    },
  );
});
