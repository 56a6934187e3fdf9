import { beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Keypair } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { claimOf } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { cloneMigratedToken, type MigratedToken, migratedToken } from "./testing/clone.ts";
import { openCluster } from "./testing/cluster.ts";
import {
  launch,
  openLaunchpad,
  programFor,
  SOL,
  type TestLaunchpad,
  type TestToken,
} from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { buyMigrated, soldOut } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

const TOKENS = 300;

describeMeteora("RPC calls", () => {
  let launchpad: TestLaunchpad;
  let agent: Keypair;
  let token: TestToken;
  let migrated: MigratedToken;
  /** The token and copies of it; the nth can claim n lamports more of the curve, 2n more of the pool. */
  let tokens: TokenRef[];

  beforeAll(async () => {
    launchpad = await openLaunchpad(await openCluster());
    const { connection, chain } = launchpad.cluster;
    agent = launchpad.cluster.wallet(SOL);
    const trader = launchpad.cluster.wallet(1_000n * SOL);
    token = await launch(launchpad, agent.publicKey);
    const liquidityPool = await soldOut(launchpad, token, trader);
    await buyMigrated(connection, { pool: liquidityPool, trader }, 10n * SOL);
    migrated = await migratedToken(connection, token, agent.publicKey);
    const clones = Array.from({ length: TOKENS - 1 }, (_, index) => {
      const number = BigInt(index + 1);
      return cloneMigratedToken(chain, migrated, { creatorFee: number, pending: 2n * number });
    });
    tokens = [token.ref, ...clones];
  });

  beforeEach(() => launchpad.cluster.calls.clear());

  const calls = () => Object.fromEntries(launchpad.cluster.calls);
  const fresh = () => programFor(launchpad.cluster, launchpad.launchWallet, launchpad.config);

  test("fees of 300 tokens that have migrated take 11 calls", async () => {
    const [first, ...others] = readable(await fresh().readFees(token.order.wallet, tokens));
    // 3 for the curves, 1 for the config, 1 for the NFTs, 6 for positions and pools.
    expect(calls()).toEqual({ getMultipleAccounts: 10, getTokenAccountsByOwner: 1 });

    const earned = first?.liquidityPool.claimable ?? 0n;
    expect(earned).toBeGreaterThan(0n);
    expect(others.map((fees) => fees.bondingCurve.claimable)).toEqual(
      others.map((_, index) => BigInt(index + 1)),
    );
    expect(others.map((fees) => fees.liquidityPool.claimable)).toEqual(
      others.map((_, index) => earned + 2n * BigInt(index + 1)),
    );
  });

  test("markets of 300 tokens that have migrated take two calls for 100, after the first time", async () => {
    const program = fresh();
    const owned = tokens.map((each) => ({ ...each, wallet: token.order.wallet }));
    const first = readable(await program.readPools(owned));
    // 6 for the curves and mints, 1 for the config, 3 for the pools.
    expect(calls()).toEqual({ getMultipleAccounts: 10 });
    launchpad.cluster.calls.clear();
    const second = readable(await program.readPools(owned));
    expect(second.map(({ market }) => market?.price)).toEqual(
      first.map(({ market }) => market?.price),
    );
    expect(calls()).toEqual({ getMultipleAccounts: 6 });
    expect(new Set(first.map(({ market }) => market?.marketCap)).size).toBe(1);
  });

  test("fees of tokens on the curve read no positions", async () => {
    const young = await launch(launchpad, agent.publicKey);
    launchpad.cluster.calls.clear();
    await fresh().readFees(young.order.wallet, [young.ref]);
    expect(calls()).toEqual({ getMultipleAccounts: 2 });
  });

  test("claims of an agent with 300 positions load the other ones only once", async () => {
    const program = fresh();
    await program.claim(token.order.wallet, [token.ref]);
    expect(calls()).toEqual({ getMultipleAccounts: 6, getTokenAccountsByOwner: 1 });
    launchpad.cluster.calls.clear();
    const parts = await program.claim(token.order.wallet, tokens.slice(17, 18));
    expect(parts && claimOf(parts)).toHaveLength(6);
    expect(calls()).toEqual({ getMultipleAccounts: 2, getTokenAccountsByOwner: 1 });
  });

  test("checking the config takes one call", async () => {
    expect(await fresh().checkConfig()).toBeNull();
    expect(calls()).toEqual({ getMultipleAccounts: 1 });
  });
});
