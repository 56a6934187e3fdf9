import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { derivePositionAddress, getAllPositionNftAccountByOwner } from "@meteora-ag/cp-amm-sdk";
import { DAMM_V2_PROGRAM_ID, MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import type { TokenRef } from "../launchpad.ts";
import { readable } from "../testing/readable.ts";
import { decodePoolConfig } from "./accounts.ts";
import { liquidityPoolAddress } from "./addresses.ts";
import { meteoraPrograms } from "./programs.ts";
import { cloneMigratedToken, type MigratedToken } from "./testing/clone.ts";
import { openCluster } from "./testing/cluster.ts";
import { buy } from "./testing/curve-trades.ts";
import { launch, openLaunchpad, programFor, SOL, type TestLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { tradedAfterMigration } from "./testing/token-life.ts";

setDefaultTimeout(ON_CHAIN_MS);

/**
 * Byte offset of the config in a curve pool, after the discriminator and the volatility tracker. Source:
 * the IDL in Meteora's SDK.
 */
const CONFIG_OFFSET = 72;

describeMeteora("readFees with a token that cannot be read", () => {
  let launchpad: TestLaunchpad;
  let trader: Keypair;
  let agent: Keypair;
  /** Tokens that can be read: one on the curve, and one that has migrated. */
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
    const [held] = await getAllPositionNftAccountByOwner(connection, agent.publicKey);
    if (!held) throw new Error("the agent has no position");
    migrated = {
      curvePool: owned.token.pool,
      liquidityPool: liquidityPoolAddress(MigrationFeeOption.Customizable, owned.token.mint),
      position: derivePositionAddress(held.positionNft),
      nftAccount: held.positionNftAccount,
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
  /** A copy of a good curve pool with another config. */
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

  /** A copy of a good config with another migration fee option. */
  function configOfOption(option: number): PublicKey {
    const { chain, connection } = launchpad.cluster;
    const account = chain.getAccount(launchpad.config);
    if (!account) throw new Error("no such config");
    const programs = meteoraPrograms(connection);
    for (let at = 8; at < account.data.length; at++) {
      const data = Buffer.from(account.data);
      data[at] = option;
      if (decodePoolConfig(programs, data).migrationFeeOption !== option) continue;
      const config = somewhere();
      const owner = new PublicKey(account.owner);
      chain.setAccount(config, { lamports: account.lamports, owner, data });
      return config;
    }
    throw new Error("a config has no such field");
  }

  const cases: Record<string, () => { token: TokenRef; reason: RegExp }> = {
    "its pool is missing": () => ({
      token: tokenAt(somewhere()),
      reason: /^The pool \w+ is not to be found$/,
    }),
    "its pool is of another layout": () => ({
      token: tokenAt(launchpad.config),
      reason: /^The account \w+ is no bonding curve pool$/,
    }),
    "its config is missing": () => ({
      token: under(somewhere()),
      reason: /^The config \w+ is not to be found$/,
    }),
    "its config is of another layout": () => ({
      token: under(migrated.curvePool),
      reason: /^The account \w+ is no bonding curve config$/,
    }),
    "it migrated to no pool of DAMM v2": () => ({
      token: under(configOfOption(99)),
      reason: /^The pool \w+ did not migrate to DAMM v2$/,
    }),
    "the pool that it migrated to is missing": () => ({
      token: migratedTo(null).token,
      reason: /^The liquidity pool \w+ is not to be found$/,
    }),
    "the pool that it migrated to is of another layout": () => ({
      token: migratedTo({
        lamports: SOL,
        owner: DAMM_V2_PROGRAM_ID,
        data: Buffer.alloc(1_112, 7),
      }).token,
      reason: /^The account \w+ is no liquidity pool$/,
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

  test("reads a config later that a node did not know at first", async () => {
    const { cluster, launchWallet, config } = launchpad;
    const program = programFor(cluster, launchWallet, config);
    const account = cluster.chain.getAccount(config);
    if (!account) throw new Error("no such config");
    const later = somewhere();
    const token = under(later);
    const read = async () => (await program.readFees(agent.publicKey.toBase58(), [token]))[0];
    expect(await read()).toEqual({ unreadable: `The config ${later} is not to be found` });
    const { lamports, data } = account;
    cluster.chain.setAccount(later, { lamports, owner: new PublicKey(account.owner), data });
    expect(await read()).toMatchObject({ isMigrated: true });
  });
});
