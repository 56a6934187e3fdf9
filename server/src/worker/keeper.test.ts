import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import type { Keypair } from "@solana/web3.js";
import { pino } from "pino";
import { generateKeypair } from "../base/native-keys.ts";
import { WIDE_LIMITS } from "../launchpad/chain/testing/test-launchpad.ts";
import type { WalletLimits } from "../launchpad/chain/wallet-guard.ts";
import {
  type CrashPoint,
  type CrashPointName,
  MIGRATE_CRASH_POINTS,
} from "../launchpad/crash-point.ts";
import { meteoraMigration } from "../launchpad/meteora/launch.ts";
import {
  launch,
  openMarket,
  SOL,
  storeTokens,
  type TestLaunchpad,
  type TestToken,
} from "../launchpad/meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../launchpad/meteora/testing/programs.ts";
import { buy, migrate } from "../launchpad/meteora/testing/trades.ts";
import type { CurveProgress, MigrationProgram } from "../launchpad/pool-program.ts";
import { launchpadOn } from "../launchpad/signing/testing/steps.ts";
import { MovableClock } from "../testing/manual-clock.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { Keeper } from "./keeper.ts";

setDefaultTimeout(ON_CHAIN_MS);

const AFTER_MS = 600_000;
const HOUR_MS = 3_600_000;
const COST = 32_518_200n;
const FEE = 15_000n;

describeMeteora("the keeper", () => {
  let launchpad: TestLaunchpad;
  let trader: Keypair;
  let migrations: MigrationProgram;
  let temp: TempStore;
  let clock: MovableClock;
  const dead: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    ({ launchpad, trader } = await openMarket({ creatorShare: 80 }));
    const { cluster, launchWallet } = launchpad;
    migrations = meteoraMigration(cluster.connection, launchWallet.publicKey);
  });
  beforeEach(() => {
    clock = new MovableClock(Date.now());
    temp = tempStore(clock);
  });
  afterEach(async () => {
    for (const end of dead.splice(0)) await end();
    temp[Symbol.dispose]();
  });

  /** A token of this service whose curve is complete, or not. */
  async function tokenOf(isComplete = true): Promise<TestToken> {
    const { cluster } = launchpad;
    const token = await launch(launchpad, cluster.wallet(SOL).publicKey, {
      ticker: `T${Math.random().toString(36).slice(2, 9).toUpperCase()}`,
    });
    await buy(cluster.connection, { pool: token.pool, trader }, (isComplete ? 400n : 1n) * SOL);
    await storeTokens(temp.store, [token]);
    return token;
  }
  interface Options {
    readonly migrateAfterMs?: number | null;
    readonly limits?: Partial<WalletLimits>;
    readonly crashPoint?: CrashPoint;
  }
  function keeperOf({ migrateAfterMs = AFTER_MS, limits, crashPoint }: Options = {}): Keeper {
    const others = { clock, limits: { ...WIDE_LIMITS, ...limits }, crashPoint };
    const chain = launchpadOn(launchpad, others, migrations);
    if (!chain.keeper) throw new Error("there is no keeper");
    const log = pino({ enabled: false });
    return new Keeper({
      store: temp.store,
      keeper: chain.keeper,
      log,
      migrateAfterMs,
      ...(crashPoint && { crashPoint }),
    });
  }
  /** Runs a keeper that stops at a step, like a process that dies there. */
  async function runUntil(point: CrashPointName): Promise<void> {
    const reached = Promise.withResolvers<void>();
    const testEnds = Promise.withResolvers<void>();
    const crashPoint: CrashPoint = (name) => {
      if (name !== point) return;
      reached.resolve();
      return testEnds.promise;
    };
    const run = keeperOf({ crashPoint }).runOnce();
    dead.push(async () => {
      testEnds.reject(new Error(`died at ${point}`));
      await run;
    });
    await reached.promise;
  }
  const balance = () => launchpad.cluster.chain.getBalance(launchpad.launchWallet.publicKey);
  const spent = () => temp.store.launches.spentToday();
  const sent = () => launchpad.cluster.calls.get("sendTransaction") ?? 0;
  async function progressOf({ ref }: TestToken): Promise<CurveProgress> {
    const [progress] = await migrations.readProgress([ref]);
    if (!progress || "unreadable" in progress) throw new Error("the curve cannot be read");
    return progress;
  }
  const isMigrated = async (token: TestToken) => (await progressOf(token)).isMigrated;
  /** Sets the time to this many milliseconds after a curve was completed. */
  async function waitSince(token: TestToken, milliseconds = AFTER_MS): Promise<void> {
    clock.set(((await progressOf(token)).completedAt ?? 0) + milliseconds);
  }
  const rows = () => temp.store.poolMigrations.open();

  /** Tokens before the others, which the chain does not know: more than are read at once. */
  async function storeUnknown(): Promise<void> {
    const like = await launch(launchpad, launchpad.launchWallet.publicKey);
    const unknown = Array.from({ length: 100 }, (_, n) => {
      const address = generateKeypair().publicKey.toBase58();
      const order = { ...like.order, wallet: address, eventId: address, ticker: `U${n}` };
      return {
        ...like,
        order,
        ref: { tokenMint: address, poolAddress: address },
        signature: address,
      };
    });
    await storeTokens(temp.store, unknown);
  }

  test("migrates only a curve that was not migrated in time, for what it costs", async () => {
    await storeUnknown();
    const [taken, incomplete, due] = [await tokenOf(), await tokenOf(false), await tokenOf()];
    await migrate(launchpad.cluster.connection, taken.pool, trader);
    const [before, sentBefore] = [balance(), sent()];
    await waitSince(due, AFTER_MS - 1);
    await keeperOf().runOnce();
    expect([sent(), await spent()]).toEqual([sentBefore, 0n]);

    await waitSince(due);
    const keeper = keeperOf();
    await keeper.runOnce();
    await keeper.runOnce();
    expect(await isMigrated(due)).toBe(true);
    expect(await isMigrated(incomplete)).toBe(false);
    expect([sent(), before - balance()]).toEqual([sentBefore + 1, COST]);
    expect(await spent()).toBe(COST);
    expect(await rows()).toEqual([]);
  });

  test("migrates a curve once if several servers see it at the same time", async () => {
    const token = await tokenOf();
    await waitSince(token);
    const before = sent();
    await Promise.all([keeperOf().runOnce(), keeperOf().runOnce(), keeperOf().runOnce()]);
    expect(await isMigrated(token)).toBe(true);
    expect([sent() - before, await spent()]).toEqual([1, COST]);
  });

  test.each(MIGRATE_CRASH_POINTS)(
    "migrates a curve once, and books it once, if the server dies at %s",
    async (point) => {
      const token = await tokenOf();
      await waitSince(token);
      const before = balance();
      await runUntil(point);
      await temp.store.poolMigrations.recover();
      await keeperOf().runOnce();
      expect(await isMigrated(token)).toBe(true);
      expect([before - balance(), await spent()]).toEqual([COST, COST]);
      expect(await rows()).toEqual([]);
    },
  );

  test("that is stopped while a migration is under way leaves it to the next start", async () => {
    const token = await tokenOf();
    await waitSince(token);
    const [before, sentBefore] = [balance(), sent()];
    let stopping: Promise<void> | undefined;
    const keeper = keeperOf({
      crashPoint: (name) => {
        if (name === "migrate.stored") stopping = keeper.stop();
      },
    });
    await keeper.runOnce();
    await stopping;
    expect(await rows()).toEqual([token.ref.tokenMint]);
    await keeperOf().runOnce();
    expect([await isMigrated(token), before - balance(), await spent()]).toEqual([
      true,
      COST,
      COST,
    ]);
    expect(sent() - sentBefore).toBeLessThanOrEqual(2);
    expect(await rows()).toEqual([]);
  });

  test("looks at the curves every half minute, more or less a quarter", async () => {
    const random = spyOn(Math, "random");
    const keeper = keeperOf();
    await keeper.start();
    for (const [value, milliseconds] of [
      [0, 22_500],
      [1, 37_500],
    ] as const) {
      random.mockReturnValue(value);
      await clock.pass(milliseconds);
    }
    random.mockRestore();
    await keeper.stop();
  });

  test("that is switched off finishes what was signed, and signs nothing, until it is switched on", async () => {
    const [signed, reserved, due] = [await tokenOf(), await tokenOf(), await tokenOf()];
    await waitSince(due);
    for (const [token, point] of [
      [signed, "migrate.stored"],
      [reserved, "migrate.reserved"],
    ] as const) {
      await runUntil(point);
      expect(await isMigrated(token)).toBe(false);
    }
    expect(await spent()).toBe(2n * COST);
    await temp.store.poolMigrations.recover();
    await keeperOf({ migrateAfterMs: null }).runOnce();
    expect(await isMigrated(signed)).toBe(true);
    expect(await isMigrated(reserved)).toBe(false);
    expect(await isMigrated(due)).toBe(false);
    expect(await spent()).toBe(COST);
    clock.advance(HOUR_MS);
    await keeperOf().runOnce();
    expect([await isMigrated(reserved), await isMigrated(due)]).toEqual([true, true]);
  });

  test("migrates nothing beyond the day's limit or the wallet's floor, and tries later", async () => {
    const token = await tokenOf();
    await waitSince(token);
    const before = sent();
    await keeperOf({ limits: { maxDailySpendLamports: COST - 1n } }).runOnce();
    clock.advance(HOUR_MS);
    await keeperOf({ limits: { minWalletLamports: balance() - COST + 1n } }).runOnce();
    expect([sent(), await spent(), await isMigrated(token)]).toEqual([before, 0n, false]);
    expect(await rows()).toEqual([token.ref.tokenMint]);
    const limits = { maxDailySpendLamports: COST, minWalletLamports: balance() - COST };
    // The keeper does nothing before that time.
    await keeperOf({ limits }).runOnce();
    expect(sent()).toBe(before);
    clock.advance(HOUR_MS);
    await keeperOf({ limits }).runOnce();
    expect([await spent(), await isMigrated(token)]).toEqual([COST, true]);
  });

  test("books only the network fee if someone else is faster", async () => {
    const token = await tokenOf();
    await waitSince(token);
    const before = balance();
    const crashPoint = async (name: CrashPointName) => {
      if (name === "migrate.stored") {
        await migrate(launchpad.cluster.connection, token.pool, trader);
      }
    };
    await keeperOf({ crashPoint }).runOnce();
    expect([before - balance(), await spent()]).toEqual([FEE, FEE]);
    expect(await rows()).toEqual([]);
  });
});
