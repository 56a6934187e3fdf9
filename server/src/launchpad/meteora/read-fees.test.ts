import { beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Keypair, PublicKey } from "@solana/web3.js";
import { CreatorChangedError } from "../errors.ts";
import type { FeeTotals, TokenFees } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { openCluster } from "./testing/cluster.ts";
import { buy } from "./testing/curve-trades.ts";
import { giveCreator, givePositions } from "./testing/give-away.ts";
import {
  makeConfig,
  openLaunchpad,
  openMarket,
  programFor,
  SOL,
  type TestLaunchpad,
  type TestToken,
} from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { sdkCurveFees, sdkPositionFee } from "./testing/sdk-fees.ts";
import { traded, tradedAfterMigration, untraded } from "./testing/token-life.ts";

setDefaultTimeout(ON_CHAIN_MS);

const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

describeMeteora("readPools", () => {
  test.each([
    ["stays the same", {}, 1e-6],
    ["falls with time and follows volatility", { startFeeBps: 5_000, dynamicFee: true }, 0.01],
  ])("tells what was traded by the fees, at a fee that %s", async (_, terms, error) => {
    const { launchpad, trader } = await openMarket(terms);
    const { connection } = launchpad.cluster;
    const { token } = await untraded(launchpad);
    const owned = { ...token.ref, wallet: token.order.wallet };
    let before = 0n;
    for (const lamports of [SOL, 2n * SOL, SOL / 3n]) {
      const signature = await buy(connection, { pool: token.pool, trader }, lamports);
      const status = await connection.getTransaction(signature, {
        maxSupportedTransactionVersion: 0,
      });
      const [pool] = readable(await launchpad.program.readPools([owned]));
      const rate = pool?.market?.feeRateAt(1_000 * (status?.blockTime ?? 0));
      const fees = pool?.market?.fees ?? 0n;
      const traded = ((fees - before) * (rate?.divisor ?? 0n)) / (rate?.dividend ?? 1n);
      expect(Math.abs(Number(traded) / Number(lamports) - 1)).toBeLessThan(error);
      before = fees;
    }
  });
});

describeMeteora("readFees", () => {
  describe.each([100, 37])("at a creator share of %d in a hundred", (creatorShare) => {
    let launchpad: TestLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      ({ launchpad, trader } = await openMarket({ creatorShare }));
    });

    test("returns no fees of an untraded token", async () => {
      const { token } = await untraded(launchpad);
      expect(await feesOf(launchpad, token)).toEqual({
        bondingCurve: NO_FEES,
        liquidityPool: NO_FEES,
        isMigrated: false,
      });
    });

    test("returns of a curve what Meteora's SDK returns", async () => {
      const { token } = await traded(launchpad, trader);
      const fees = await feesOf(launchpad, token);
      expect(fees.bondingCurve).toEqual(
        await sdkCurveFees(launchpad.cluster.connection, token.pool),
      );
      expect(fees.bondingCurve.claimable).toBeGreaterThan(0n);
      expect(fees.liquidityPool).toEqual(NO_FEES);
    });

    test("finds the position of a token that has just migrated, though a node is behind", async () => {
      const { token } = await tradedAfterMigration(launchpad, trader);
      const { connection } = launchpad.cluster;
      const minimums: unknown[] = [];
      const owned = spyOn(connection, "getTokenAccountsByOwner");
      owned.mockImplementationOnce(async () => ({ context: { slot: 1 }, value: [] }));
      const fees = await feesOf(launchpad, token);
      for (const [, , config] of owned.mock.calls) minimums.push(config);
      owned.mockRestore();
      expect(fees.creatorChanged).toBeUndefined();
      expect(fees.liquidityPool.claimable).toBeGreaterThan(0n);
      expect(minimums).toEqual([{}, { minContextSlot: expect.any(Number) }]);
    });

    test("returns after migration what Meteora's SDKs return", async () => {
      const { connection } = launchpad.cluster;
      const { token, agent } = await tradedAfterMigration(launchpad, trader);
      const { bondingCurve, liquidityPool, isMigrated } = await feesOf(launchpad, token);
      expect(isMigrated).toBe(true);
      expect(bondingCurve).toEqual(await sdkCurveFees(connection, token.pool));
      const claimable = await sdkPositionFee(connection, poolOf(token), agent.publicKey);
      expect(claimable).toBeGreaterThan(0n);
      expect(liquidityPool).toEqual({ claimable, claimed: 0n, total: claimable });
    });
  });

  describe("of changing owners", () => {
    let launchpad: TestLaunchpad;
    let trader: Keypair;
    let heir: Keypair;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster());
      trader = launchpad.cluster.wallet(2_000n * SOL);
      heir = launchpad.cluster.wallet(SOL);
    });

    test("returns no fees for a stranger, and names the creator", async () => {
      const { token } = await tradedAfterMigration(launchpad, trader);
      expect(await feesOf(launchpad, token, heir.publicKey)).toEqual({
        bondingCurve: NO_FEES,
        liquidityPool: NO_FEES,
        isMigrated: true,
        creatorChanged: { bondingCurve: token.order.wallet, liquidityPool: null },
      });
      await expect(
        launchpad.program.claim(heir.publicKey.toBase58(), [token.ref]),
      ).rejects.toBeInstanceOf(CreatorChangedError);
    });

    test("returns a position's fees for the holder of its NFT", async () => {
      const { token, agent } = await tradedAfterMigration(launchpad, trader);
      const before = await feesOf(launchpad, token);
      await givePositions(launchpad.cluster.connection, agent, heir.publicKey);
      expect(await feesOf(launchpad, token)).toEqual({
        ...before,
        liquidityPool: NO_FEES,
        creatorChanged: { liquidityPool: null },
      });
      expect(await feesOf(launchpad, token, heir.publicKey)).toEqual({
        ...before,
        bondingCurve: NO_FEES,
        creatorChanged: { bondingCurve: token.order.wallet },
      });
    });

    test("returns a curve's fees for its present creator", async () => {
      const { token, agent } = await traded(launchpad, trader);
      const before = await feesOf(launchpad, token);
      await giveCreator(launchpad.cluster.connection, token.pool, agent, heir.publicKey);
      expect(await feesOf(launchpad, token)).toMatchObject({
        bondingCurve: NO_FEES,
        creatorChanged: { bondingCurve: heir.publicKey.toBase58() },
      });
      const { program } = launchpad;
      await expect(program.claim(token.order.wallet, [token.ref])).rejects.toBeInstanceOf(
        CreatorChangedError,
      );
      // Other tokens are claimed, or have no fees, as ever.
      const other = await untraded(launchpad);
      const { agent: poor } = other;
      expect(
        await program.claim(poor.publicKey.toBase58(), [token.ref, other.token.ref]),
      ).toBeNull();
      expect(await feesOf(launchpad, token, heir.publicKey)).toEqual(before);
    });
  });

  test("finds the pool under a config with one of Meteora's fixed fees", async () => {
    const cluster = await openCluster();
    const launchWallet = cluster.wallet(10n * SOL);
    const option = MigrationFeeOption.FixedBps200;
    const config = await makeConfig(cluster, launchWallet, {
      migrationFeeOption: option,
      migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
    });
    const program = programFor(cluster, launchWallet, config);
    const launchpad = { cluster, config, launchWallet, program };
    const trader = cluster.wallet(1_000n * SOL);
    const { token, agent } = await tradedAfterMigration(launchpad, trader, option);
    const pool = liquidityPoolAddress(option, token.mint);
    const claimable = await sdkPositionFee(cluster.connection, pool, agent.publicKey);
    expect(claimable).toBeGreaterThan(0n);
    expect((await feesOf(launchpad, token)).liquidityPool.claimable).toBe(claimable);
  });
});

async function feesOf(
  { program }: TestLaunchpad,
  token: TestToken,
  wallet: string | PublicKey = token.order.wallet,
): Promise<TokenFees> {
  const [fees] = readable(await program.readFees(wallet.toString(), [token.ref]));
  if (!fees) throw new Error("no fees");
  return fees;
}

function poolOf({ mint }: TestToken): PublicKey {
  return liquidityPoolAddress(MigrationFeeOption.Customizable, mint);
}
