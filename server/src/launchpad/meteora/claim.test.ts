import { beforeAll, describe, expect, test } from "bun:test";
import { CpAmm, getUnClaimLpFee } from "@meteora-ag/cp-amm-sdk";
import {
  DynamicBondingCurveClient,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Keypair, PublicKey } from "@solana/web3.js";
import { payoutOf } from "../../solana/payout.ts";
import type { FeeTotals, TokenFees } from "../launchpad.ts";
import { liquidityPoolAddress } from "./addresses.ts";
import { openCluster } from "./testing/cluster.ts";
import { buy, migrate, sell } from "./testing/curve-trades.ts";
import { giveCreator, givePositions } from "./testing/give-away.ts";
import {
  launch,
  makeConfig,
  openLaunchpad,
  programFor,
  SOL,
  type TestLaunchpad,
  type TestToken,
} from "./testing/launchpad.ts";
import { buyMigrated, sellMigrated } from "./testing/liquidity-trades.ts";
import { describeMeteora } from "./testing/programs.ts";
import { send } from "./testing/send.ts";

const SIGNATURE_FEE = 5_000n;
const TOKEN_ACCOUNT_RENT = 2_039_280n;
const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

describeMeteora("fees and claims", () => {
  test("default: under a config with one of Meteora's fixed fees the pool is found too", async () => {
    const cluster = await openCluster();
    const launchWallet = cluster.wallet(10n * SOL);
    const config = await makeConfig(cluster, launchWallet, {
      migrationFeeOption: MigrationFeeOption.FixedBps200,
      migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
    });
    const program = programFor(cluster, launchWallet, config);
    const agent = cluster.wallet(SOL).publicKey;
    const token = await launch({ cluster, config, launchWallet, program }, agent);
    const trader = cluster.wallet(1_000n * SOL);
    await buy(cluster.connection, { pool: token.pool, trader }, 400n * SOL);
    await migrate(cluster.connection, token.pool, trader);
    const pool = liquidityPoolAddress(MigrationFeeOption.FixedBps200, token.mint);
    await buyMigrated(cluster.connection, { pool, trader }, 10n * SOL);
    const [fees] = await program.readFees(token.order.wallet, [token.ref]);
    // 2 % of 10 SOL, less the fifth that is DAMM v2's own, less what rounding leaves in the pool.
    expect(fees?.liquidityPool.claimable).toBe(159_999_999n);
  });

  describe.each([100, 37])("at a creator share of %d %%", (creatorShare) => {
    let launchpad: TestLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster(), { creatorShare });
      trader = launchpad.cluster.wallet(2_000n * SOL);
    });

    test("default: an untraded token has no fees and nothing to claim", async () => {
      const { token } = await launched();
      expect(await readFees(token)).toEqual({
        bondingCurve: NO_FEES,
        liquidityPool: NO_FEES,
        isMigrated: false,
      });
      expect(await claimOf(token)).toBeNull();
    });

    test("default: fees of the curve are those that Meteora's SDK tells", async () => {
      const { token } = await traded();
      const { bondingCurve, liquidityPool } = await readFees(token);
      expect(bondingCurve).toEqual(await sdkCurveFees(token));
      expect(bondingCurve.claimable).toBeGreaterThan(0n);
      expect(liquidityPool).toEqual(NO_FEES);
    });

    test("default: a claim pays what was claimable, to the lamport", async () => {
      const { token, agent } = await traded();
      const { claimable, total } = (await readFees(token)).bondingCurve;
      const claim = await sendClaim(token, agent);
      expect(claim.paid).toBe(claimable);
      // The first claim also makes the agent's account for the token.
      expect(claim.gained).toBe(claimable - SIGNATURE_FEE - TOKEN_ACCOUNT_RENT);
      expect(claim.instructions).toBe(4);
      expect(await readFees(token)).toMatchObject({
        bondingCurve: { claimable: 0n, claimed: total, total },
      });
      expect(await claimOf(token)).toBeNull();
    });

    test("behavior: fees go on accruing after a claim", async () => {
      const { token, agent } = await traded();
      await sendClaim(token, agent);
      await buy(launchpad.cluster.connection, { pool: token.pool, trader }, 2n * SOL);
      const { bondingCurve } = await readFees(token);
      expect(bondingCurve).toEqual(await sdkCurveFees(token));
      const claim = await sendClaim(token, agent);
      expect(claim.gained).toBe(bondingCurve.claimable - SIGNATURE_FEE);
    });

    test("behavior: a stranger has no fees and nothing to claim", async () => {
      const { token } = await tradedAfterMigration();
      const stranger = launchpad.cluster.wallet(SOL).publicKey.toBase58();
      expect(await readFees(token, stranger)).toEqual({
        bondingCurve: NO_FEES,
        liquidityPool: NO_FEES,
        isMigrated: true,
      });
      expect(await claimOf(token, stranger)).toBeNull();
    });

    test("default: after migration one transaction claims both kinds", async () => {
      const { token, agent } = await tradedAfterMigration();
      const fees = await readFees(token);
      expect(fees.bondingCurve).toEqual(await sdkCurveFees(token));
      expect(fees.liquidityPool.claimable).toBe(await sdkLiquidityFee(token, agent.publicKey));
      expect(fees.liquidityPool.claimable).toBeGreaterThan(0n);

      const claimable = fees.bondingCurve.claimable + fees.liquidityPool.claimable;
      const claim = await sendClaim(token, agent);
      expect(claim.paid).toBe(claimable);
      expect(claim.gained).toBe(claimable - SIGNATURE_FEE - TOKEN_ACCOUNT_RENT);
      expect(claim.instructions).toBe(5);
      expect(claim.bytes).toBeLessThanOrEqual(926);
      const { total } = fees.liquidityPool;
      expect((await readFees(token)).liquidityPool).toEqual({
        claimable: 0n,
        claimed: total,
        total,
      });
      expect(await claimOf(token)).toBeNull();
    });

    test("default: where only the pool has fees, only those are claimed", async () => {
      const { token, agent } = await tradedAfterMigration();
      await sendClaim(token, agent);
      const before = (await readFees(token)).liquidityPool;
      await buyMigrated(launchpad.cluster.connection, liquidityTrade(token), 3n * SOL);
      const { claimable } = (await readFees(token)).liquidityPool;
      expect(claimable).toBe(await sdkLiquidityFee(token, agent.publicKey));
      const claim = await sendClaim(token, agent);
      expect(claim).toMatchObject({ paid: claimable, instructions: 4 });
      expect(claim.gained).toBe(claimable - SIGNATURE_FEE);
      const total = before.total + claimable;
      expect((await readFees(token)).liquidityPool).toEqual({
        claimable: 0n,
        claimed: total,
        total,
      });
    });

    test("behavior: whom the agent gives its position to has its fees", async () => {
      const { token, agent } = await tradedAfterMigration();
      const heir = launchpad.cluster.wallet(SOL);
      await givePositions(launchpad.cluster.connection, agent, heir.publicKey);
      expect((await readFees(token)).liquidityPool).toEqual(NO_FEES);
      const { bondingCurve, liquidityPool } = await readFees(token, heir.publicKey.toBase58());
      expect(bondingCurve).toEqual(NO_FEES);
      expect(liquidityPool.claimable).toBe(await sdkLiquidityFee(token, heir.publicKey));
      const claim = await sendClaim(token, heir);
      expect(claim).toMatchObject({ paid: liquidityPool.claimable, instructions: 4 });
    });

    test("behavior: whom the agent makes the pool's creator has the fees of the curve", async () => {
      const { token, agent } = await traded();
      const heir = launchpad.cluster.wallet(SOL);
      const before = await readFees(token);
      await giveCreator(launchpad.cluster.connection, token.pool, agent, heir.publicKey);
      expect(await claimOf(token)).toBeNull();
      expect((await readFees(token)).bondingCurve).toEqual(NO_FEES);
      expect(await readFees(token, heir.publicKey.toBase58())).toEqual(before);
      const claim = await sendClaim(token, heir);
      expect(claim.paid).toBe(before.bondingCurve.claimable);
    });

    async function launched(): Promise<{ token: TestToken; agent: Keypair }> {
      const agent = launchpad.cluster.wallet(SOL);
      return { token: await launch(launchpad, agent.publicKey), agent };
    }

    async function traded() {
      const made = await launched();
      const trade = { pool: made.token.pool, trader };
      await buy(launchpad.cluster.connection, trade, 7_123_456_789n);
      await sell(launchpad.cluster.connection, trade, 1_234_567_654_321n);
      return made;
    }

    async function tradedAfterMigration() {
      const { connection } = launchpad.cluster;
      const made = await launched();
      await buy(connection, { pool: made.token.pool, trader }, 400n * SOL);
      await migrate(connection, made.token.pool, trader);
      await buyMigrated(connection, liquidityTrade(made.token), 10_000_000_001n);
      await sellMigrated(connection, liquidityTrade(made.token), 1_234_567_654_321n);
      return made;
    }

    const liquidityTrade = (token: TestToken) => ({ pool: liquidityPoolOf(token), trader });

    async function readFees(token: TestToken, wallet = token.order.wallet): Promise<TokenFees> {
      const [fees] = await launchpad.program.readFees(wallet, [token.ref]);
      if (!fees) throw new Error("no fees");
      return fees;
    }

    function claimOf(token: TestToken, wallet = token.order.wallet) {
      return launchpad.program.claim(wallet, token.ref);
    }

    async function sendClaim(token: TestToken, wallet: Keypair) {
      const { chain, connection } = launchpad.cluster;
      const before = chain.getBalance(wallet.publicKey);
      const instructions = await claimOf(token, wallet.publicKey.toBase58());
      if (!instructions) throw new Error("nothing to claim");
      const signature = await send(connection, instructions, [wallet]);
      const landed = await connection.getTransaction(signature, {
        commitment: "confirmed",
        maxSupportedTransactionVersion: 0,
      });
      return {
        paid: landed?.meta ? payoutOf(landed.meta, wallet.publicKey.toBase58()) : null,
        gained: chain.getBalance(wallet.publicKey) - before,
        instructions: instructions.length,
        bytes: chain.getTransaction(signature)?.bytes.length,
      };
    }

    async function sdkCurveFees(token: TestToken): Promise<FeeTotals> {
      const client = DynamicBondingCurveClient.create(launchpad.cluster.connection);
      const { creator } = await client.state.getPoolFeeBreakdown(token.pool);
      return {
        claimable: BigInt(creator.unclaimedQuoteFee.toString()),
        claimed: BigInt(creator.claimedQuoteFee.toString()),
        total: BigInt(creator.totalQuoteFee.toString()),
      };
    }

    async function sdkLiquidityFee(token: TestToken, owner: PublicKey): Promise<bigint> {
      const amm = new CpAmm(launchpad.cluster.connection);
      const address = liquidityPoolOf(token);
      const pool = await amm.fetchPoolState(address);
      const [position] = await amm.getUserPositionByPool(address, owner);
      if (!position) throw new Error("no position");
      const fee = getUnClaimLpFee(pool, position.positionState);
      expect(fee.feeTokenA.toString()).toBe("0");
      return BigInt(fee.feeTokenB.toString());
    }
  });
});

function liquidityPoolOf(token: TestToken): PublicKey {
  return liquidityPoolAddress(6, token.mint);
}
