import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { DAMM_V2_PROGRAM_ID, MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { CreatorChangedError } from "../errors.ts";
import type { FeeTotals, TokenFees } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import {
  claimablePositionFee,
  liquidityFees,
  liquidityPoolAddress,
  poolAfter,
} from "./liquidity-reader.ts";
import { readEarnings } from "./pool-terms.ts";
import type { Curve, LiquidityPool, Position } from "./programs.ts";
import { cloneMigratedToken, type MigratedToken, migratedToken } from "./testing/clone.ts";
import { openCluster } from "./testing/cluster.ts";
import {
  launch,
  makeConfig,
  openLaunchpad,
  openMarket,
  programFor,
  SOL,
  type TestLaunchpad,
  type TestToken,
} from "./testing/launchpad.ts";
import { giveCreator, givePositions } from "./testing/positions.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { sdkCurveFees, sdkPositionFee } from "./testing/sdk.ts";
import { buy, traded, tradedAfterMigration, untraded } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

test("the address of the pool that a curve becomes is derived once", () => {
  const curveOf = (mint: Keypair) =>
    ({
      config: { migrationFeeOption: MigrationFeeOption.Customizable },
      pool: { baseMint: mint.publicKey.toBase58() },
    }) as Curve;
  const [mint, other] = [Keypair.generate(), Keypair.generate()];
  const address = poolAfter(curveOf(mint));
  expect(address).toEqual(liquidityPoolAddress(6, mint.publicKey));
  expect(poolAfter(curveOf(mint))).toBe(address);
  expect(poolAfter(curveOf(other))).not.toEqual(address);
});

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
  test("returns what Meteora's SDKs return, untraded, on the curve and after migration", async () => {
    const { launchpad, trader } = await openMarket({ creatorShare: 37 });
    const { connection } = launchpad.cluster;
    const young = await untraded(launchpad);
    expect(await feesOf(launchpad, young.token)).toEqual({
      bondingCurve: NO_FEES,
      liquidityPool: NO_FEES,
      isMigrated: false,
    });
    const { token } = await traded(launchpad, trader);
    const onCurve = await feesOf(launchpad, token);
    expect(onCurve.bondingCurve).toEqual(await sdkCurveFees(connection, token.pool));
    expect(onCurve.bondingCurve.claimable).toBeGreaterThan(0n);
    expect(onCurve.liquidityPool).toEqual(NO_FEES);

    const grown = await tradedAfterMigration(launchpad, trader);
    const { publicKey } = grown.agent;
    const claimable = await sdkPositionFee(connection, poolOf(grown.token), publicKey);
    expect(claimable).toBeGreaterThan(0n);
    expect(await feesOf(launchpad, grown.token)).toEqual({
      bondingCurve: await sdkCurveFees(connection, grown.token.pool),
      liquidityPool: { claimable, claimed: 0n, total: claimable },
      isMigrated: true,
    });
  });

  describe("of changing owners", () => {
    let launchpad: TestLaunchpad;
    let trader: Keypair;
    let newCreator: Keypair;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster());
      trader = launchpad.cluster.wallet(2_000n * SOL);
      newCreator = launchpad.cluster.wallet(SOL);
    });

    test("returns no fees for a stranger, and names the creator", async () => {
      const { token } = await tradedAfterMigration(launchpad, trader);
      expect(await feesOf(launchpad, token, newCreator.publicKey)).toEqual({
        bondingCurve: NO_FEES,
        liquidityPool: NO_FEES,
        isMigrated: true,
        creatorChanged: { bondingCurve: token.order.wallet, liquidityPool: null },
      });
      await expect(
        launchpad.program.claim(newCreator.publicKey.toBase58(), [token.ref]),
      ).rejects.toBeInstanceOf(CreatorChangedError);
    });

    test("returns a position's fees for the holder of its NFT", async () => {
      const { token, agent } = await tradedAfterMigration(launchpad, trader);
      const before = await feesOf(launchpad, token);
      await givePositions(launchpad.cluster.connection, agent, newCreator.publicKey);
      expect(await feesOf(launchpad, token)).toEqual({
        ...before,
        liquidityPool: NO_FEES,
        creatorChanged: { liquidityPool: null },
      });
      expect(await feesOf(launchpad, token, newCreator.publicKey)).toEqual({
        ...before,
        bondingCurve: NO_FEES,
        creatorChanged: { bondingCurve: token.order.wallet },
      });
    });

    test("returns a curve's fees for its present creator", async () => {
      const { token, agent } = await traded(launchpad, trader);
      const before = await feesOf(launchpad, token);
      await giveCreator(launchpad.cluster.connection, token.pool, agent, newCreator.publicKey);
      expect(await feesOf(launchpad, token)).toMatchObject({
        bondingCurve: NO_FEES,
        creatorChanged: { bondingCurve: newCreator.publicKey.toBase58() },
      });
      const { program } = launchpad;
      await expect(program.claim(token.order.wallet, [token.ref])).rejects.toBeInstanceOf(
        CreatorChangedError,
      );
      // Other tokens are claimed or have no fees, as before.
      const other = await untraded(launchpad);
      const { agent: poor } = other;
      expect(
        await program.claim(poor.publicKey.toBase58(), [token.ref, other.token.ref]),
      ).toBeNull();
      expect(await feesOf(launchpad, token, newCreator.publicKey)).toEqual(before);
    });
  });

  test("finds the pool under a config with one of Meteora's fixed fees, and knows the fee", async () => {
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
    expect((await program.terms()).fees.liquidityPool).toMatchObject({ startBps: 200 });
    expect((await readEarnings(cluster.connection, config)).pool.fee).toBe(2);
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

function poolOf({ mint }: Pick<TestToken, "mint">): PublicKey {
  return liquidityPoolAddress(MigrationFeeOption.Customizable, mint);
}

/**
 * Byte offset of the config in a curve pool, after the discriminator and the volatility tracker.
 * Source: the IDL in Meteora's SDK.
 */
const CONFIG_OFFSET = 72;
const UNREADABLE_POSITION =
  /^The account \w+, which may be a position in the pool \w+, cannot be read$/;

interface TestAccount {
  readonly lamports: bigint;
  readonly owner: PublicKey;
  readonly data: Buffer;
}

describeMeteora("readFees with a token that cannot be read", () => {
  let launchpad: TestLaunchpad;
  let trader: Keypair;
  let agent: Keypair;
  let good: TokenRef[];
  let migrated: MigratedToken;

  beforeAll(async () => {
    launchpad = await openLaunchpad(await openCluster());
    const { connection } = launchpad.cluster;
    trader = launchpad.cluster.wallet(2_000n * SOL);
    const owned = await tradedAfterMigration(launchpad, trader);
    agent = owned.agent;
    const young = await launch(launchpad, agent.publicKey);
    await buy(connection, { pool: young.pool, trader }, SOL);
    good = [owned.token.ref, young.ref];
    migrated = await migratedToken(connection, owned.token, agent.publicKey);
  });

  const fresh = () => programFor(launchpad.cluster, launchpad.launchWallet, launchpad.config);
  const somewhere = () => Keypair.generate().publicKey;
  const tokenAt = (pool: PublicKey): TokenRef => ({
    tokenMint: somewhere().toBase58(),
    poolAddress: pool.toBase58(),
  });
  const clone = () => {
    const fees = { creatorFee: 1n, pending: 1n };
    return cloneMigratedToken(launchpad.cluster.chain, migrated, fees);
  };
  /** Another migrated token, with another account as its liquidity pool. */
  function migratedTo(account: TestAccount) {
    const token = clone();
    launchpad.cluster.chain.setAccount(poolOf({ mint: new PublicKey(token.tokenMint) }), account);
    return token;
  }
  /** Another migrated token, whose position the change makes another account. */
  function withPosition(change: (position: TestAccount) => Partial<TestAccount>) {
    const token = clone();
    const position = accountAt(token.position);
    launchpad.cluster.chain.setAccount(token.position, { ...position, ...change(position) });
    return token;
  }
  function accountAt(address: PublicKey): TestAccount {
    const account = launchpad.cluster.chain.getAccount(address);
    if (!account) throw new Error(`no account ${address}`);
    const { lamports, owner, data } = account;
    return { lamports, owner: new PublicKey(owner), data: Buffer.from(data) };
  }
  /** A copy of the migrated curve under another config. */
  function under(config: PublicKey): TokenRef {
    const account = accountAt(migrated.curvePool);
    config.toBuffer().copy(account.data, CONFIG_OFFSET);
    const pool = somewhere();
    launchpad.cluster.chain.setAccount(pool, account);
    return tokenAt(pool);
  }
  const NOTHING = { lamports: 0n, owner: SystemProgram.programId, data: Buffer.alloc(0) };

  test.each<[string, () => TokenRef, RegExp]>([
    [
      "its pool is missing",
      () => tokenAt(somewhere()),
      /^The bonding curve pool \w+ was not found$/,
    ],
    [
      "its pool is of another layout",
      () => tokenAt(launchpad.config),
      /^The account \w+ is not a bonding curve pool$/,
    ],
    [
      "its config is missing",
      () => under(somewhere()),
      /^The bonding curve config \w+ was not found$/,
    ],
    [
      "its config is of another layout",
      () => under(migrated.curvePool),
      /^The account \w+ is not a bonding curve config$/,
    ],
    [
      "the pool that it migrated to is missing",
      () => migratedTo(NOTHING),
      /^The liquidity pool \w+ was not found$/,
    ],
    [
      "the pool that it migrated to is of another layout",
      () => migratedTo({ lamports: SOL, owner: DAMM_V2_PROGRAM_ID, data: Buffer.alloc(1_112, 7) }),
      /^The account \w+ is not a liquidity pool$/,
    ],
    [
      "its position has an unknown discriminator",
      () => withPosition(({ data }) => ({ data: Buffer.from(data).fill(9, 0, 8) })),
      UNREADABLE_POSITION,
    ],
    [
      "its position is cut short",
      () => withPosition(({ data }) => ({ data: data.subarray(0, -1) })),
      UNREADABLE_POSITION,
    ],
  ])("returns the others' fees if %s", async (_, make, reason) => {
    const token = make();
    const wallet = agent.publicKey.toBase58();
    const alone = await fresh().readFees(wallet, good);
    const program = fresh();
    const [first, other] = good as [TokenRef, TokenRef];
    const fees = await program.readFees(wallet, [first, token, other]);
    expect(readable(alone)[0]?.liquidityPool.claimable).toBeGreaterThan(0n);
    expect([fees[0], fees[2]] as unknown[]).toEqual(alone);
    expect(fees[1]).toEqual({ unreadable: expect.stringMatching(reason) });
    await expect(program.claim(wallet, [token])).rejects.toThrow(reason);
  });

  test("ignores SOL at the address of a position that an NFT does not have", async () => {
    const wallet = agent.publicKey.toBase58();
    const before = await launchpad.program.readFees(wallet, good);
    // Anyone can send an agent an NFT, and SOL to the address that Meteora derives from it.
    withPosition(() => ({ ...NOTHING, lamports: SOL }));
    expect(await fresh().readFees(wallet, good)).toEqual(before);
  });

  test("returns the fees of a token whose position can be read beside one whose cannot", async () => {
    const wallet = agent.publicKey.toBase58();
    const [token, other] = [withPosition(() => ({})), withPosition(() => ({}))];
    const program = fresh();
    const [before] = readable(await program.readFees(wallet, [token, other]));
    const address = other.position;
    const cut = { ...accountAt(address), data: Buffer.alloc(64, 9) };
    launchpad.cluster.chain.setAccount(address, cut);
    expect(await program.readFees(wallet, [token, other])).toEqual([
      before as TokenFees,
      { unreadable: expect.stringContaining(address.toBase58()) },
    ]);
  });

  test("reads a config later that a node did not know at first", async () => {
    const program = fresh();
    const later = somewhere();
    const token = under(later);
    const read = async () => (await program.readFees(agent.publicKey.toBase58(), [token]))[0];
    expect(await read()).toEqual({
      unreadable: `The bonding curve config ${later} was not found`,
    });
    launchpad.cluster.chain.setAccount(later, accountAt(launchpad.config));
    expect(await read()).toMatchObject({ isMigrated: true });
  });
});

function pool(feeBPerLiquidity: bigint): LiquidityPool {
  return { feeBPerLiquidity } as LiquidityPool;
}

interface Held {
  readonly liquidity: bigint;
  readonly feeCheckpoint: bigint;
  readonly pending: bigint;
  readonly claimed: bigint;
}

function position(held: Partial<Held>): Position {
  const { liquidity = 0n, feeCheckpoint = 0n, pending = 0n, claimed = 0n } = held;
  return {
    unlockedLiquidity: liquidity,
    vestedLiquidity: 0n,
    permanentLockedLiquidity: 0n,
    feeBPerTokenCheckpoint: feeCheckpoint,
    feeBPending: pending,
    metrics: { totalClaimedAFee: 0n, totalClaimedBFee: claimed },
  } as Position;
}

test("fees of several positions add up", () => {
  const held = [
    position({ liquidity: 3n, feeCheckpoint: 0n, claimed: 5n }),
    position({ liquidity: 2n, feeCheckpoint: 1n << 128n, pending: 7n, claimed: 1n }),
  ];
  expect(liquidityFees(pool(2n << 128n), held)).toEqual({
    claimable: 15n,
    claimed: 6n,
    total: 21n,
  });
});

test("a pool read from a node that is behind its position adds nothing", () => {
  const ahead = position({ liquidity: 1n << 100n, feeCheckpoint: 5n << 60n, pending: 9n });
  expect(claimablePositionFee(pool(4n << 60n), ahead)).toBe(9n);
});
