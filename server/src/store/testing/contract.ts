import { afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import { type IntakeLimits, type LaunchCost, UNBOUNDED } from "../../domain/intake-limits.ts";
import {
  handOut,
  handOutLaunch,
  insertLaunch,
  insertToken,
  lease,
  submit,
  takeLaunch,
} from "../../testing/launches.ts";
import type { RetryRequest } from "../intake.ts";
import type { NewLaunch } from "../launch-row.ts";
import type { NewPrepared } from "../prepared.ts";
import {
  DAY_MS,
  type Engine,
  type Prepared,
  postgresEngine,
  START,
  sqliteEngine,
  type TestDatabase,
} from "./engines.ts";
import { dueWebhooks, newAttempt, newWebhook, UNBOUNDED_IMAGES } from "./rows.ts";

/** The store of the test that runs, and what tests do with it, by default for the wallet `agent`. */
export class TestStore {
  database!: TestDatabase;

  get store() {
    return this.database.store;
  }

  get launches() {
    return this.store.launches;
  }

  get clock() {
    return this.database;
  }

  now = () => this.database.now();
  setTime = (now: number) => this.database.setTime(now);
  /** Moves the time by this many milliseconds; a negative number sets it back. */
  advance = (milliseconds: number) => this.setTime(this.now() + milliseconds);

  insert = insertLaunch.bind(null, this);
  lease = lease.bind(null, this);
  take = (ticker: string, leaseId = "holder", other: Partial<NewLaunch> = {}) =>
    takeLaunch(this, ticker, { ...other, leaseId });
  insertToken = insertToken.bind(null, this);
  handOut = handOut.bind(null, this);
  handOutLaunch = handOutLaunch.bind(null, this);
  submit = submit.bind(null, this);

  /** Asks to retry a launch, and returns what kind of answer that has. */
  retry = async (
    eventId: string,
    { wallet = "agent", address = null, ...limits }: Partial<RetryRequest & IntakeLimits> = {},
  ) => {
    const asked = { wallet, eventId, address, now: this.now() };
    return (await this.launches.retry(asked, { ...UNBOUNDED, ...limits })).kind;
  };

  /** Reserves lamports for a leased launch, by default of 1,000 and without a limit of the day. */
  reserve = (
    eventId: string,
    lamports: bigint,
    { leaseId = "holder", ...other }: Partial<LaunchCost> & { readonly leaseId?: string } = {},
  ) => {
    const cost = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };
    return this.launches.reserve(eventId, leaseId, { lamports, ...cost, ...other });
  };

  /** Stores a launch that fails at once. Returns its event id. */
  async insertFailed(ticker: string, other: Partial<NewLaunch> = {}) {
    const { eventId } = await this.take(ticker, ticker, other);
    await this.launches.fail(eventId, ticker, { message: "refused" });
    return eventId;
  }

  async submitted(messageHash: string, other?: Partial<NewPrepared>) {
    const row = await this.handOut(messageHash, other);
    await this.submit(row);
    return row;
  }
}

/**
 * Runs tests of the store on each engine. Each test has its own database with another wallet's
 * rows, which must not change: a statement that forgets its wallet or its id fails.
 */
export function describeStore(
  topic: string,
  define: (at: TestStore) => void,
  { isOtherPending = false }: { readonly isOtherPending?: boolean } = {},
): void {
  for (const engine of [sqliteEngine, postgresEngine]) {
    describe.skipIf(!engine.isHere)(`${topic}, on ${engine.name}`, () => {
      const at = new TestStore();
      let scene: Scene;
      beforeAll(async () => {
        scene = await sceneOn(engine, isOtherPending);
      });
      beforeEach(async () => {
        at.database = await scene.open();
      });
      afterEach(async () => {
        await scene.filled.expectUnchanged(at.database);
        await at.database.closeAll();
      });
      define(at);
    });
  }
}

type Scene = Prepared<OtherWallet>;

const scenes = new Map<string, Promise<Scene>>();

function sceneOn(engine: Engine, isOtherPending: boolean): Promise<Scene> {
  const key = `${engine.name} ${isOtherPending}`;
  const scene =
    scenes.get(key) ??
    engine.prepare(async (database) => {
      const at = new TestStore();
      at.database = database;
      await at.setTime(START - DAY_MS);
      return addOtherWallet(at, isOtherPending);
    });
  scenes.set(key, scene);
  return scene;
}

const WALLET = "unrelated";

interface OtherWallet {
  expectUnchanged(database: TestDatabase): Promise<void>;
}

/**
 * Adds a wallet with a row of every kind, mostly from the day before the test's.
 * @param isPending whether a launch of the wallet is in progress, leased for the next minute
 */
export async function addOtherWallet(at: TestStore, isPending: boolean): Promise<OtherWallet> {
  const { launches, prepared } = at.store;
  const other = { wallet: WALLET };
  const failed = await at.take("UNFAIL", "their lease", other);
  await launches.recordAttempt(failed.eventId, "their lease", newAttempt("UNFAIL"));
  await launches.fail(failed.eventId, "their lease", { message: "theirs" });
  await at.take("UNRATE", "their lease", other);
  await launches.refuse(WALLET, "their lease", "launched_today");
  const { tokenMint } = await at.insertToken("UNSUCC", { ...other, requestHash: "their hash" });
  for (const messageHash of ["their prepared", "their submitted", "their confirmed"]) {
    const expiresAt = at.now() + 1e9;
    const row = await at.handOut(messageHash, { ...other, tokenMint, expiresAt });
    if (messageHash === "their prepared") continue;
    await at.submit(row, { leaseId: "their lease" });
    if (messageHash === "their submitted") continue;
    await prepared.confirm(row, {
      ...{ signature: "s", paidLamports: 5n, at: 2 },
      payouts: [{ tokenMint, bondingCurve: 2n, liquidityPool: 3n }],
    });
  }
  await at.store.watch.setThreshold(WALLET, 9n);
  const image = {
    wallet: WALLET,
    address: null,
    mediaType: "image/png",
    small: null,
    medium: null,
    bytes: Uint8Array.of(9, 9),
  };
  const times = { now: at.now(), expiresAt: at.now() + 10_000 * DAY_MS };
  await at.store.images.put({ ...image, hash: "their image", ...times }, UNBOUNDED_IMAGES);
  await addWebhooks(at);
  await at.advance(DAY_MS);
  if (isPending) {
    const pending = await at.take("UNPEND", "their lease", other);
    await at.reserve(pending.eventId, 7n, { leaseId: "their lease" });
    await launches.recordAttempt(pending.eventId, "their lease", newAttempt("UNPEND"));
  }
  const before = await rowsOf(at.database);
  return {
    expectUnchanged: async (database) => expect(await rowsOf(database)).toEqual(before),
  };
}

/** Adds two webhooks that are not due: one accepted everything, and one nothing. */
async function addWebhooks(at: TestStore): Promise<void> {
  const { webhooks } = at.store;
  const lease = { id: "their lease", ms: 60_000 };
  for (const isDelivered of [false, true]) {
    await webhooks.add(newWebhook(`their ${isDelivered}`, { wallet: WALLET, after: 0 }), 9);
    await webhooks.test(WALLET, `their ${isDelivered}`, 9);
    for (let n = 0; n < 5; n++) {
      const [leased] = await webhooks.lease(lease, dueWebhooks({ which: [WALLET] }));
      if (!leased) continue;
      const outcome = { httpStatus: isDelivered ? 200 : 500, problem: null, retryInMs: null };
      await webhooks.settle(leased, { ...outcome, isDelivered, isSlow: !isDelivered });
    }
  }
}

const TABLES = [
  ...["launches", "tokens", "prepared", "images"],
  ...["events", "event_counters", "fee_thresholds", "webhooks"],
];

async function rowsOf(database: TestDatabase): Promise<string[][]> {
  const all = [];
  const ofWallet = `wallet = '${WALLET}'`;
  for (const rowsOfTable of [
    ...TABLES.map((table) => `${table} where ${ofWallet}`),
    `payouts where claim_id in (select id from prepared where ${ofWallet})`,
    `webhook_deliveries where webhook_id in (select id from webhooks where ${ofWallet})`,
  ]) {
    const rows = await database.select(`select * from ${rowsOfTable}`);
    all.push(rows.map((row) => JSON.stringify(row)).sort());
  }
  return all;
}
