import { beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { getUnClaimLpFee, type PoolState, type PositionState } from "@meteora-ag/cp-amm-sdk";
import {
  DAMM_V2_PROGRAM_ID,
  DYNAMIC_BONDING_CURVE_PROGRAM_ID,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Connection, Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { readAccount } from "@tokenctl/shared/programs/program";
import BN from "bn.js";
import * as fc from "fast-check";
import type { TokenRef } from "../../domain/token.ts";
import { openTestChain } from "../../localnet/testing/local-chain.ts";
import { versionOneTransfer } from "../../localnet/testing/version-1.ts";
import { RpcError } from "../../solana/rpc-answer.ts";
import { ChainUnavailableError, CreatorChangedError } from "../errors.ts";
import type { FeeTotals, TokenFees } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { opened } from "./hand-over.ts";
import {
  claimablePositionFee,
  curveFees,
  liquidityFees,
  liquidityPoolAddress,
} from "./liquidity-reader.ts";
import type { Curve, LiquidityPool, Position } from "./programs.ts";
import { cloneMigratedToken, type MigratedToken } from "./testing/clone.ts";
import { openCluster } from "./testing/cluster.ts";
import { buy } from "./testing/curve-trades.ts";
import { giveCreator, givePositions } from "./testing/give-away.ts";
import { heldPosition } from "./testing/held-position.ts";
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
      // Other tokens are claimed or have no fees, as before.
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

/**
 * Byte offset of the config in a curve pool, after the discriminator and the volatility tracker.
 * Source: the IDL in Meteora's SDK.
 */
const CONFIG_OFFSET = 72;
const POSITION_BYTES = 408;
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
    const held = await heldPosition(connection, agent.publicKey);
    migrated = {
      mint: owned.token.mint,
      curvePool: owned.token.pool,
      liquidityPool: liquidityPoolAddress(MigrationFeeOption.Customizable, owned.token.mint),
      position: held.address,
      nftAccount: held.nftAccount,
      migrationFeeOption: MigrationFeeOption.Customizable,
    };
  });

  const somewhere = () => Keypair.generate().publicKey;
  const tokenAt = (pool: PublicKey): TokenRef => ({
    tokenMint: somewhere().toBase58(),
    poolAddress: pool.toBase58(),
  });
  /** Another migrated token, with the given account as its liquidity pool. */
  function migratedTo(account: { lamports: bigint; owner: PublicKey; data: Buffer } | null) {
    const { chain } = launchpad.cluster;
    const token = cloneMigratedToken(chain, migrated, { creatorFee: 1n, pending: 1n });
    const pool = liquidityPoolAddress(migrated.migrationFeeOption, new PublicKey(token.tokenMint));
    const nothing = { lamports: 0n, owner: SystemProgram.programId, data: Buffer.alloc(0) };
    chain.setAccount(pool, account ?? nothing);
    return { token, pool };
  }
  /** Another migrated token, whose position the change makes another account. */
  function withPosition(change: (position: TestAccount) => Partial<TestAccount>) {
    const { chain } = launchpad.cluster;
    const token = cloneMigratedToken(chain, migrated, { creatorFee: 1n, pending: 1n });
    const address = positionOf(token);
    const position = accountAt(address);
    chain.setAccount(address, { ...position, ...change(position) });
    return token;
  }
  function positionOf({ tokenMint }: TokenRef): PublicKey {
    const pool = liquidityPoolAddress(migrated.migrationFeeOption, new PublicKey(tokenMint));
    const { chain } = launchpad.cluster;
    const found = [...chain.accounts.ownedBy(DAMM_V2_PROGRAM_ID)].find(
      ({ account: { data } }) =>
        data.length === POSITION_BYTES && pool.equals(new PublicKey(data.subarray(8, 40))),
    );
    if (!found) throw new Error("no such position");
    return new PublicKey(found.address);
  }
  function accountAt(address: PublicKey): TestAccount {
    const account = launchpad.cluster.chain.getAccount(address);
    if (!account) throw new Error(`no account ${address}`);
    const { lamports, owner, data } = account;
    return { lamports, owner: new PublicKey(owner), data: Buffer.from(data) };
  }
  function under(config: PublicKey): TokenRef {
    const { chain } = launchpad.cluster;
    const account = chain.getAccount(migrated.curvePool);
    if (!account) throw new Error("no such pool");
    const data = Buffer.from(account.data);
    config.toBuffer().copy(data, CONFIG_OFFSET);
    const pool = somewhere();
    chain.setAccount(pool, {
      lamports: account.lamports,
      owner: new PublicKey(account.owner),
      data,
    });
    return tokenAt(pool);
  }

  function configOfOption(option: number): PublicKey {
    const { chain } = launchpad.cluster;
    const account = chain.getAccount(launchpad.config);
    if (!account) throw new Error("no such config");
    for (let at = 8; at < account.data.length; at++) {
      const data = Buffer.from(account.data);
      data[at] = option;
      const owner = new PublicKey(account.owner);
      if (readAccount(dbc, "PoolConfig", { owner, data }).migrationFeeOption !== option) continue;
      const config = somewhere();
      chain.setAccount(config, { lamports: account.lamports, owner, data });
      return config;
    }
    throw new Error("a config has no such field");
  }

  const cases: Record<string, () => { token: TokenRef; reason: RegExp }> = {
    "its pool is missing": () => ({
      token: tokenAt(somewhere()),
      reason: /^The pool \w+ was not found$/,
    }),
    "its pool is of another layout": () => ({
      token: tokenAt(launchpad.config),
      reason: /^The account \w+ is not a bonding curve pool$/,
    }),
    "its config is missing": () => ({
      token: under(somewhere()),
      reason: /^The config \w+ was not found$/,
    }),
    "its config is of another layout": () => ({
      token: under(migrated.curvePool),
      reason: /^The account \w+ is not a bonding curve config$/,
    }),
    "it migrated to no pool of DAMM v2": () => ({
      token: under(configOfOption(99)),
      reason: /^The pool \w+ did not migrate to DAMM v2$/,
    }),
    "the pool that it migrated to is missing": () => ({
      token: migratedTo(null).token,
      reason: /^The liquidity pool \w+ was not found$/,
    }),
    "the pool that it migrated to is of another layout": () => ({
      token: migratedTo({
        lamports: SOL,
        owner: DAMM_V2_PROGRAM_ID,
        data: Buffer.alloc(1_112, 7),
      }).token,
      reason: /^The account \w+ is not a liquidity pool$/,
    }),
    "its position has an unknown discriminator": () => ({
      token: withPosition(({ data }) => ({ data: Buffer.from(data).fill(9, 0, 8) })),
      reason: UNREADABLE_POSITION,
    }),
    "its position is cut short": () => ({
      token: withPosition(({ data }) => ({ data: data.subarray(0, -1) })),
      reason: UNREADABLE_POSITION,
    }),
  };
  test.each(Object.entries(cases))("returns the others' fees if %s", async (_, make) => {
    const { token, reason } = make();
    const wallet = agent.publicKey.toBase58();
    const { cluster, launchWallet, config } = launchpad;
    const alone = await programFor(cluster, launchWallet, config).readFees(wallet, good);
    const fresh = programFor(cluster, launchWallet, config);
    const [first, other] = good as [TokenRef, TokenRef];
    const fees = await fresh.readFees(wallet, [first, token, other]);
    expect(readable(alone)[0]?.liquidityPool.claimable).toBeGreaterThan(0n);
    expect([fees[0], fees[2]] as unknown[]).toEqual(alone);
    expect(fees[1]).toEqual({ unreadable: expect.stringMatching(reason) });
    await expect(fresh.claim(wallet, [token])).rejects.toThrow(reason);
  });

  test("ignores SOL at the address of a position that an NFT does not have", async () => {
    const { cluster, launchWallet, config } = launchpad;
    const { program } = launchpad;
    const wallet = agent.publicKey.toBase58();
    const before = await program.readFees(wallet, good);
    // Anyone can send an agent an NFT, and SOL to the address that Meteora derives from it.
    const token = cloneMigratedToken(cluster.chain, migrated, { creatorFee: 1n, pending: 1n });
    cluster.chain.setAccount(positionOf(token), {
      lamports: SOL,
      owner: SystemProgram.programId,
      data: Buffer.alloc(0),
    });
    const fresh = programFor(cluster, launchWallet, config);
    expect(await fresh.readFees(wallet, good)).toEqual(before);
  });

  test("names the token of a position that could be read before", async () => {
    const { cluster, launchWallet, config } = launchpad;
    const wallet = agent.publicKey.toBase58();
    const token = withPosition(() => ({}));
    const other = withPosition(() => ({}));
    const program = programFor(cluster, launchWallet, config);
    const [before] = readable(await program.readFees(wallet, [token, other]));
    const address = positionOf(other);
    cluster.chain.setAccount(address, { ...accountAt(address), data: Buffer.alloc(64, 9) });
    expect(await program.readFees(wallet, [token, other])).toEqual([
      before as TokenFees,
      { unreadable: expect.stringContaining(address.toBase58()) },
    ]);
  });

  test("reads a config later that a node did not know at first", async () => {
    const { cluster, launchWallet, config } = launchpad;
    const program = programFor(cluster, launchWallet, config);
    const account = cluster.chain.getAccount(config);
    if (!account) throw new Error("no such config");
    const later = somewhere();
    const token = under(later);
    const read = async () => (await program.readFees(agent.publicKey.toBase58(), [token]))[0];
    expect(await read()).toEqual({ unreadable: `The config ${later} was not found` });
    const { lamports, data } = account;
    cluster.chain.setAccount(later, { lamports, owner: new PublicKey(account.owner), data });
    expect(await read()).toMatchObject({ isMigrated: true });
  });
});

const key = Keypair.generate().publicKey;
const creator = key.toBase58();

function curve(share: number, tradingFees: bigint, creatorFee: bigint): Curve {
  return {
    address: key,
    config: { creatorTradingFeePercentage: share },
    pool: {
      creator,
      creatorQuoteFee: creatorFee,
      metrics: { totalTradingQuoteFee: tradingFees },
    },
  } as Curve;
}

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

test("amounts above 2^53 stay exact", () => {
  const total = 18_446_744_073_709_551_615n;
  expect(curveFees(curve(100, total, 1n), creator)).toEqual({
    claimable: 1n,
    claimed: total - 1n,
    total,
  });
});

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

test("a position's fee is what the DAMM v2 SDK counts", async () => {
  await fc.assert(
    fc.property(
      fc.bigInt(0n, (1n << 110n) - 1n),
      fc.bigInt(0n, (1n << 80n) - 1n),
      fc.bigInt(0n, (1n << 80n) - 1n),
      fc.bigInt(0n, (1n << 62n) - 1n),
      (liquidity, feeCheckpoint, growth, pending) => {
        const feePerLiquidity = feeCheckpoint + growth;
        const expected = getUnClaimLpFee(
          sdkPool(feePerLiquidity),
          sdkPosition({ liquidity, feeCheckpoint, pending }),
        ).feeTokenB;
        const held = position({ liquidity, feeCheckpoint, pending });
        expect(claimablePositionFee(pool(feePerLiquidity), held)).toBe(BigInt(expected.toString()));
      },
    ),
    { numRuns: 500 },
  );
});

function sdkPool(feePerLiquidity: bigint): PoolState {
  return {
    feeAPerLiquidity: bytes32(0n),
    feeBPerLiquidity: bytes32(feePerLiquidity),
    rewardInfos: [],
  } as unknown as PoolState;
}

function sdkPosition(of: Omit<Held, "claimed">): PositionState {
  return {
    feeAPerTokenCheckpoint: bytes32(0n),
    feeBPerTokenCheckpoint: bytes32(of.feeCheckpoint),
    feeAPending: new BN(0),
    feeBPending: new BN(of.pending.toString()),
    unlockedLiquidity: new BN(0),
    vestedLiquidity: new BN(0),
    permanentLockedLiquidity: new BN(of.liquidity.toString()),
    rewardInfos: [],
  } as unknown as PositionState;
}

function bytes32(value: bigint): number[] {
  return new BN(value.toString()).toArray("le", 32);
}

const [agent, other, nft] = [1, 2, 3].map((n) => new PublicKey(new Uint8Array(32).fill(n))) as [
  PublicKey,
  PublicKey,
  PublicKey,
];

/** A node at which later transactions name the NFT; null signers: it has forgotten the first. */
function node(later: number, signer: PublicKey | null, program: PublicKey): Connection {
  const all = [...Array.from({ length: later }, (_, n) => `later ${n}`), "first"];
  const listed = all.map((signature) => ({ signature, err: null }));
  const message = {
    header: { numRequiredSignatures: 1 },
    staticAccountKeys: [signer, program],
    compiledInstructions: [{ programIdIndex: 1 }],
  };
  const stub: Record<string, unknown> = {
    getSignaturesForAddress: async (
      _: PublicKey,
      { limit, before }: { limit: number; before?: string },
    ) => {
      const start = before === undefined ? 0 : all.indexOf(before) + 1;
      return listed.slice(start, start + limit);
    },
    getTransaction: async (signature: string) =>
      signature === "first" && signer !== null ? { transaction: { message } } : null,
  };
  return stub as unknown as Connection;
}

test.each([0, 999, 1_000, 9_998])(
  "a position that the agent opened stays its own, although %i later transactions name it",
  async (later) => {
    expect(await opened(node(later, agent, nft), agent, nft)).toBe(true);
  },
);

test("a position that the agent opened by a transaction of version 1 stays its own", async () => {
  const { chain, connection, wallet } = openTestChain();
  const [owner, mint] = [wallet(), PublicKey.unique()];
  const { blockhash } = chain.latestBlockhash();
  const options = { to: mint, lamports: 1_000_000 };
  chain.sendTransaction(await versionOneTransfer(owner, blockhash, options));
  expect(await opened(connection, owner.publicKey, mint)).toBe(true);
  expect(await opened(connection, agent, mint)).toBe(false);
});

test("a position that another opened, or a migration that the agent sent, is not the agent's own", async () => {
  expect(await opened(node(1_500, other, nft), agent, nft)).toBe(false);
  expect(await opened(node(1_500, agent, DYNAMIC_BONDING_CURVE_PROGRAM_ID), agent, nft)).toBe(
    false,
  );
});

test("a position whose first transaction has a version that the service cannot read is kept", async () => {
  const connection = node(0, other, nft);
  connection.getTransaction = async () => {
    throw new RpcError("refused", "getTransaction", "no", { code: -32015 });
  };
  expect(await opened(connection, agent, nft)).toBe(true);
});

test("a position that too many transactions name is kept", async () => {
  expect(await opened(node(10_000, other, nft), agent, nft)).toBe(true);
});

test("a node that has forgotten the first transaction proves nothing", async () => {
  await expect(opened(node(0, null, nft), agent, nft)).rejects.toBeInstanceOf(
    ChainUnavailableError,
  );
});
