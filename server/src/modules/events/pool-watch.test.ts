import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair, PublicKey } from "@solana/web3.js";
import { createLog } from "../../base/log.ts";
import type { TokenRef } from "../../domain/token.ts";
import { Journal, unsent } from "../../launchpad/chain/testing/journal.ts";
import {
  never,
  order,
  SOL,
  signClaim,
  testLaunchpad,
} from "../../launchpad/chain/testing/test-launchpad.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import { liquidityPoolAddress } from "../../launchpad/meteora/liquidity-reader.ts";
import { buy, migrate } from "../../launchpad/meteora/testing/curve-trades.ts";
import { launch, openMarket } from "../../launchpad/meteora/testing/launchpad.ts";
import { buyMigrated } from "../../launchpad/meteora/testing/liquidity-trades.ts";
import { describeMeteora, ON_CHAIN_MS } from "../../launchpad/meteora/testing/programs.ts";
import { sendClaim } from "../../launchpad/meteora/testing/send-claim.ts";
import { Metrics } from "../../metrics/metrics.ts";
import { insertLaunch, lease } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { PoolWatch, type PoolWatchDeps } from "./pool-watch.ts";

setDefaultTimeout(ON_CHAIN_MS);

const DAY_MS = 86_400_000;
const CUSTOMIZABLE = 6;

let temp: TempStore;
let onEvents: (wallet: string) => void = () => {};
let tickers = 0;
beforeEach(() => {
  temp = tempStore(new ManualClock(), (wallet) => onEvents(wallet));
});
afterEach(() => temp[Symbol.dispose]());

function watchOf(
  chain: PoolWatchDeps["chain"],
  isShared = false,
  more: Pick<PoolWatchDeps, "onRound"> = {},
): PoolWatch {
  const { watch, clock } = temp.store;
  const store = { watch, clock, isShared };
  return new PoolWatch({ store, chain, log: createLog("silent"), everyMs: 1, pauseMs: 0, ...more });
}

/** Stores a token of a wallet, which has one a day. */
async function store(wallet: string, token: TokenRef): Promise<void> {
  const ticker = `T${++tickers}`;
  await insertLaunch(temp, ticker, { wallet });
  const launched = await lease(temp, ticker);
  if (!launched) throw new Error("no launch is due");
  await temp.store.launches.succeed(launched, ticker, token);
  temp.clock.advance(DAY_MS);
}

const set = (wallet: string, lamports: bigint) =>
  temp.store.watch.setThreshold(wallet, { tokenMint: null, lamports });

/** What a wallet was told, beside its launches. */
async function toldTo(wallet: string): Promise<string[]> {
  const found = await temp.store.events.read(wallet, null, 1_000);
  if (found.kind === "gone") throw new Error("events are gone");
  return found.events.map(({ type }) => type).filter((type) => !type.startsWith("launch."));
}

/** Records a claim in the store, as after it has landed. */
async function recordClaim(wallet: string, { tokenMint }: TokenRef): Promise<void> {
  const { claims } = temp.store;
  const messageHash = crypto.randomUUID();
  const now = temp.clock.now();
  await claims.prepare({
    wallet,
    tokenMint,
    messageHash,
    lastValidBlockHeight: 1,
    preparedAt: now,
    expiresAt: now + 60_000,
  });
  const claim = await claims.find(wallet, messageHash);
  if (!claim) throw new Error("no claim");
  await claims.submit(claim.id, { id: "holder", ms: 1 }, messageHash, Uint8Array.of(1));
  const payouts = [{ tokenMint, bondingCurve: 1n, liquidityPool: 0n }];
  await claims.confirm(claim, { signature: messageHash, paidLamports: 1n, payouts, at: now });
}

describe("on the embedded chain", () => {
  /** A chain with a token of each of two new wallets; both are stored. */
  async function twoAgents() {
    const chain = testLaunchpad();
    const [mine, theirs] = [Keypair.generate(), Keypair.generate()];
    const tokens = [];
    for (const { publicKey } of [mine, theirs]) {
      const wallet = publicKey.toBase58();
      const token = await chain.launchpad.deploy(order(wallet), new Journal(), never);
      await store(wallet, token);
      tokens.push({ wallet, token });
    }
    const [one, other] = tokens;
    if (!one || !other) throw new Error("two tokens");
    chain.rpc.calls.length = 0;
    const trade = (sol: bigint, token = one.token) =>
      chain.sandbox.trade({ ...token, side: "buy", lamports: sol * SOL });
    return { ...chain, keypair: mine, one, other, trade, watch: watchOf(chain.launchpad) };
  }

  test("a migration is told once, to the token's agent alone", async () => {
    const { one, other, sandbox, watch } = await twoAgents();
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual([]);
    await sandbox.graduate(one.token);
    for (let round = 0; round < 3; round++) await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
    expect(await toldTo(other.wallet)).toEqual([]);
  });

  test("fees are told once they reach the threshold, and again after a claim, on curve and in pool", async () => {
    const { one, other, trade, watch, sandbox, launchpad, keypair, chain } = await twoAgents();
    // A hundredth of each trade.
    await set(one.wallet, SOL / 50n);
    await trade(1n);
    await trade(50n, other.token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual([]);
    await trade(1n);
    await watch.round();
    await trade(5n);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["fees.claimable"]);

    chain.airdrop(keypair.publicKey, SOL);
    const claim = await launchpad.buildClaim(one.wallet, [one.token]);
    if (!claim) throw new Error("there is something to claim");
    await launchpad.submitClaim(signClaim(claim, keypair, one.token), unsent, never);
    await recordClaim(one.wallet, one.token);
    await sandbox.graduate(one.token);
    await trade(3n);
    // A node that is behind could still show what was claimed.
    await watch.round();
    const before = await toldTo(one.wallet);
    expect(before).toEqual(["fees.claimable", "claim.confirmed", "token.migrated"]);
    temp.clock.advance(30_000);
    for (let round = 0; round < 2; round++) await watch.round();
    expect(await toldTo(one.wallet)).toEqual([...before, "fees.claimable"]);
    expect(await toldTo(other.wallet)).toEqual([]);
  });

  test("fees that fall below the threshold are told again once they reach it", async () => {
    const { one, trade, watch } = await twoAgents();
    await set(one.wallet, SOL / 100n);
    await trade(1n);
    for (let round = 0; round < 2; round++) await watch.round();
    await set(one.wallet, SOL / 50n);
    for (let round = 0; round < 2; round++) await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["fees.claimable"]);
    await trade(1n);
    for (let round = 0; round < 2; round++) await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["fees.claimable", "fees.claimable"]);
  });

  test("without thresholds and unmigrated tokens nothing is asked", async () => {
    const { one, other, sandbox, watch, rpc } = await twoAgents();
    for (const { token } of [one, other]) await sandbox.graduate(token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
    rpc.calls.length = 0;
    await watch.round();
    expect(rpc.calls).toEqual([]);
    await set(one.wallet, 1n);
    await watch.round();
    expect(rpc.calls).toEqual(["getMultipleAccounts"]);
  });

  test("a pool that cannot be read keeps none of the others back", async () => {
    const { one, sandbox, watch } = await twoAgents();
    const missing = Keypair.generate().publicKey.toBase58();
    await store("lost", { tokenMint: missing, poolAddress: missing });
    await sandbox.graduate(one.token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
    expect(await toldTo("lost")).toEqual([]);
  });

  test("a round that fails is followed by another", async () => {
    const { one, sandbox, launchpad, rpc } = await twoAgents();
    await sandbox.graduate(one.token);
    rpc.spoilNext("getMultipleAccounts", "500");
    await expect(watchOf(launchpad).round()).rejects.toBeInstanceOf(ChainUnavailableError);
    rpc.spoilNext("getMultipleAccounts", "500");
    const told = new Promise((resolve) => {
      onEvents = resolve;
    });
    const running = watchOf(launchpad);
    running.start();
    await temp.clock.pass(1);
    await temp.clock.pass(1);
    expect(await told).toBe(one.wallet);
    await running.stop();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
  });

  test("of several servers one reads the chain, and another takes over when it stops", async () => {
    const { launchpad, rpc } = await twoAgents();
    const [first, second] = [watchOf(launchpad, true), watchOf(launchpad, true)];
    await first.round();
    const { length } = rpc.calls;
    expect(length).toBeGreaterThan(0);
    await second.round();
    expect(rpc.calls).toHaveLength(length);
    await first.round();
    expect(rpc.calls).toHaveLength(2 * length);
    await first.stop();
    await second.round();
    expect(rpc.calls).toHaveLength(3 * length);
  });

  test("the metrics show how each round ended, and when and how long the last whole one was", async () => {
    const { launchpad, rpc } = await twoAgents();
    const metrics = new Metrics();
    const watch = watchOf(launchpad, true, { onRound: metrics.onPoolRound });
    const shown = async () => {
      const lines = (await metrics.text()).matchAll(/^tokend_pool_watch_(.*) (\S+)$/gm);
      return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]));
    };
    const rounds = (outcome: string) => `rounds_total{outcome="${outcome}"}`;
    const never = { round_seconds: "Nan", last_round_timestamp_seconds: "Nan" };
    expect(await shown()).toEqual({
      [rounds("done")]: "0",
      [rounds("other_server")]: "0",
      [rounds("failed")]: "0",
      ...never,
    });
    rpc.spoilNext("getMultipleAccounts", "500");
    await expect(watch.round()).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(await shown()).toMatchObject({ [rounds("failed")]: "1", ...never });
    await watch.round();
    const whole = await shown();
    expect(whole).toMatchObject({
      [rounds("done")]: "1",
      [rounds("failed")]: "1",
      last_round_timestamp_seconds: String(temp.clock.now() / 1000),
    });
    expect(Number(whole.round_seconds)).toBeGreaterThan(0);

    temp.clock.advance(1_000);
    const other = watchOf(launchpad, true, { onRound: metrics.onPoolRound });
    await other.round();
    expect(await shown()).toEqual({ ...whole, [rounds("other_server")]: "1" });
    // A round that is cut short does not count.
    await watch.stop();
    await watch.round();
    expect(await shown()).toEqual({ ...whole, [rounds("other_server")]: "1" });
  });
});

describeMeteora("on Meteora's real programs", () => {
  test("both events come from Meteora's accounts, on the curve and after migration", async () => {
    const { launchpad, trader } = await openMarket({});
    const { cluster, program } = launchpad;
    const { connection } = cluster;
    const watch = watchOf(program);
    const [agent, other] = [cluster.wallet(SOL), cluster.wallet(SOL)];
    const [wallet, otherWallet] = [agent, other].map(({ publicKey }) => publicKey.toBase58());
    if (!wallet || !otherWallet) throw new Error("two wallets");
    const token = await launch(launchpad, agent.publicKey);
    const theirs = await launch(launchpad, other.publicKey);
    await store(wallet, token.ref);
    await store(otherWallet, theirs.ref);
    await buy(connection, { pool: theirs.pool, trader }, 5n * SOL);
    await set(wallet, SOL / 100n);
    await watch.round();
    expect(await toldTo(wallet)).toEqual([]);
    await buy(connection, { pool: token.pool, trader }, 5n * SOL);
    await watch.round();
    expect(await toldTo(wallet)).toEqual(["fees.claimable"]);

    await sendClaim(launchpad, agent, token.ref);
    await recordClaim(wallet, token.ref);
    temp.clock.advance(DAY_MS);
    await watch.round();
    await buy(connection, { pool: token.pool, trader }, 400n * SOL);
    await migrate(connection, token.pool, trader);
    await sendClaim(launchpad, agent, token.ref);
    await recordClaim(wallet, token.ref);
    temp.clock.advance(DAY_MS);
    await watch.round();
    const claimed = ["fees.claimable", "claim.confirmed", "claim.confirmed", "token.migrated"];
    expect(await toldTo(wallet)).toEqual(claimed);
    const pool = liquidityPoolAddress(CUSTOMIZABLE, token.mint);
    await buyMigrated(connection, { pool, trader }, 10n * SOL);
    for (let round = 0; round < 2; round++) await watch.round();
    expect(await toldTo(wallet)).toEqual([...claimed, "fees.claimable"]);
    expect(await toldTo(otherWallet)).toEqual([]);
  });

  test("a round over 150 pools on the curve takes 2 requests", async () => {
    const { launchpad } = await openMarket({});
    const { chain, calls } = launchpad.cluster;
    const source = await launch(launchpad, Keypair.generate().publicKey);
    const account = chain.getAccount(source.pool);
    if (!account) throw new Error("no pool");
    for (let n = 0; n < 150; n++) {
      const pool = Keypair.generate().publicKey.toBase58();
      chain.setAccount(pool, { ...account, owner: new PublicKey(account.owner) });
      await store(`agent ${n}`, { tokenMint: pool, poolAddress: pool });
    }
    calls.clear();
    const watch = watchOf(launchpad.program);
    await watch.round();
    expect(Object.fromEntries(calls)).toEqual({ getMultipleAccounts: 2 });
    await set("agent 7", 1n);
    await watch.round();
    expect(Object.fromEntries(calls)).toEqual({ getMultipleAccounts: 4 });
  });
});
