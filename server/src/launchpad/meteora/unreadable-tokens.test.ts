import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { DAMM_V2_PROGRAM_ID, MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { readAccount } from "@tokenctl/shared/programs/program";
import type { TokenRef } from "../../domain/token.ts";
import type { TokenFees } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { cloneMigratedToken, type MigratedToken } from "./testing/clone.ts";
import { openCluster } from "./testing/cluster.ts";
import { buy } from "./testing/curve-trades.ts";
import { heldPosition } from "./testing/held-position.ts";
import { launch, openLaunchpad, programFor, SOL, type TestLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { tradedAfterMigration } from "./testing/token-life.ts";

setDefaultTimeout(ON_CHAIN_MS);

/**
 * Byte offset of the config in a curve pool, after the discriminator and the volatility tracker. Source:
 * the IDL in Meteora's SDK.
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
