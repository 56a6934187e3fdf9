import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { dataFiles } from "../config/config.ts";
import { UNBOUNDED } from "../domain/intake-limits.ts";
import { MOVED_TABLES } from "../store/moved-tables.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import {
  dueWebhooks,
  newAttempt,
  newLaunch,
  newWebhook,
  UNBOUNDED_IMAGES,
} from "../store/testing/rows.ts";
import {
  handOut,
  handOutLaunch,
  insertLaunch,
  insertToken,
  type StoreInTime,
  submit,
} from "../testing/launches.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { PATIENT, POSTGRES_PROGRAMS, sharedPostgres } from "../testing/postgres.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { makeBackup } from "./backup.ts";
import { lockDataDirectory } from "./directory.ts";
import { type MoveProgress, moveToPostgres } from "./move-to-postgres.ts";
import { openBesideServer } from "./open-beside.ts";
import { fingerprintOf } from "./secrets.ts";

setDefaultTimeout(300_000);

const SECRET = Buffer.alloc(32, 1);
const BINDING = {
  chain: "solana",
  launchWallet: "payer",
  genesisHash: "genesis",
  mintSecretFingerprint: fingerprintOf(SECRET),
  dbcConfig: null,
} as const;
const LAUNCHES = 12;
/** More than PostgreSQL's largest integer. */
const HUGE = 2n ** 70n;

/** More than one batch holds. */
const IMAGES = 20;

/** Makes a stopped service's folder with rows of two wallets, and an empty target database. */
async function setUp() {
  const dir = tempDir();
  const dataDir = join(dir.path, "data");
  mkdirSync(dataDir);
  const files = dataFiles(dataDir);
  writeFileSync(files.mintSecret, SECRET.toString("hex"), { mode: 0o600 });
  const clock = new ManualClock();
  const store = openSqliteStore(files.database, { clock });
  await store.chainBinding.bind(BINDING);
  const temp = { store, clock, path: files.database, [Symbol.dispose]: () => {} };
  const description = "two lines\n and \u{1f600}";
  const token = await insertToken(temp, "ONE", { wallet: "one", description, address: "::1" });
  await insertToken(temp, "TWO", { wallet: "two" });
  const third = newLaunch("THREE", { wallet: "three", address: "::1" });
  await store.launches.insert([third], { ...UNBOUNDED, maxOfAddress: 10 });
  const waiting = third.eventId;
  await store.launches.passTime(true);
  // Enough rows that their numeric order differs from their order as texts.
  for (let n = 5; n <= LAUNCHES; n++) await insertLaunch(temp, `MORE${n}`, { wallet: "two" });
  await store.launches.lease("held", 60_000, { maxPerHour: 9 });
  const cost = { lamports: HUGE, walletLamports: 2n * HUGE, minWalletLamports: 0n };
  await store.launches.reserve(waiting, "held", { ...cost, maxDailyLamports: null });
  const attempt = newAttempt("THREE");
  await store.launches.recordAttempt(waiting, "held", attempt);
  await claim(temp, token);
  const paying = await handOutLaunch(temp, "PAYS", { wallet: "pays" });
  await submit(temp, paying, { leaseId: "l" });
  await collectAndMigrate(store);
  const market = { price: HUGE, marketCap: HUGE, raised: null, goal: HUGE, earned: 0n, fees: HUGE };
  await store.markets.record([{ tokenId: 1, ...market, feeRateAt: () => null }], 5);
  await store.watch.setThreshold("one", { tokenMint: token.tokenMint, lamports: HUGE });
  for (let n = 0; n < IMAGES; n++) {
    const image = {
      hash: `hash ${n}`,
      wallet: "one",
      address: "192.0.2.1",
      mediaType: "image/png",
      small: Uint8Array.of(n),
      medium: null,
      now: 1,
      expiresAt: 2,
    };
    await store.images.put({ ...image, bytes: Uint8Array.of(0, 255, n) }, UNBOUNDED_IMAGES);
  }
  await addWebhooks(store.webhooks);
  const change = { actor: "ops", action: "x", subject: null, detail: null, reason: description };
  await store.operator.setRule("two", { list: "blocked", isOn: true }, change);
  await store.operator.setRule("one", { list: "allowed", isOn: true }, change);
  const invite = { codeHash: "hash", note: description, maxUses: 2, expiresAt: 2 ** 50 };
  await store.operator.createInvites([invite], change);
  await store.operator.redeem("three", "hash");
  await store.operator.steer({ pauses: { claims: description } }, change);
  await store.close();
  const url = await (await sharedPostgres()).createDatabase();
  return {
    dataDir,
    files,
    url,
    waiting,
    clock,
    description,
    token,
    config: { dataDir, databaseUrl: null, mintSecret: null },
    change(sql: string): void {
      using client = new Database(files.database);
      client.run("pragma ignore_check_constraints = on");
      client.run(sql);
    },
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}

async function claim(
  at: StoreInTime,
  { wallet, tokenMint }: { wallet: string; tokenMint: string },
): Promise<void> {
  const claims = at.store.prepared;
  const row = { wallet, tokenMint, expiresAt: 2 ** 50 };
  const paid = await handOut(at, "paid", row);
  await submit(at, paid, { leaseId: "l" });
  await claims.confirm(paid, {
    signature: "signature",
    paidLamports: HUGE,
    at: 3,
    payouts: [{ tokenMint, bondingCurve: HUGE - 1n, liquidityPool: 1n }],
  });
  const sponsored = await handOut(at, "prepared", { ...row, otherMints: ["a", "b"] });
  await submit(at, sponsored, { leaseId: "l", maxAtRisk: 1 });
  await claims.withdraw(sponsored.id, "l", { at: 1, reason: "refused" });
}

async function addWebhooks(webhooks: ReturnType<typeof openSqliteStore>["webhooks"]) {
  const key = Buffer.alloc(32, 255);
  await webhooks.add(newWebhook("of one", { wallet: "one", key, after: 1 }), 1);
  await webhooks.add(newWebhook("of two", { wallet: "two", key }), 1);
  await webhooks.rotate("one", "of one", { key: Buffer.alloc(32, 1), oldUntil: 2 });
  expect(await webhooks.lease({ id: "held", ms: 60_000 }, dueWebhooks())).toHaveLength(1);
}

/** Collects from one token, and prepares to migrate the pools of both. */
async function collectAndMigrate({ collections, poolMigrations }: Store): Promise<void> {
  const sent = { signature: "collected", transaction: Uint8Array.of(0), lastValidBlockHeight: 1 };
  const tokens = [{ tokenMint: "mint-ONE", vaults: ["vault"], lamports: "1" }];
  await collections.record({ wallet: "payer", ...sent, tokens, submittedAt: 1 });
  const paid = { paidLamports: HUGE, feeLamports: 5_000n, at: 2 };
  await collections.end("collected", { status: "confirmed", tokens, ...paid });
  for (const mint of ["mint-ONE", "mint-TWO"]) {
    await poolMigrations.lease(mint, { id: "l", ms: 60_000 });
  }
  await poolMigrations.record("mint-TWO", "l", sent);
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the total number of rows in all tables; 0 if there are no tables. */
async function rowsIn(url: string): Promise<number> {
  const [made] = await query(url, "select to_regclass('launches') is not null as made");
  if (!made?.made) return 0;
  const names = MOVED_TABLES.map(({ name }) => name);
  const counts = names.map((name) => `(select count(*)::int from ${name})`);
  const [row] = await query(url, `select ${counts.join(" + ")} as rows`);
  return Number(row?.rows);
}

describe.skipIf(!POSTGRES_PROGRAMS)("a move to PostgreSQL", () => {
  test("moves every table with its numbers, and frees what was leased", async () => {
    using scene = await setUp();
    const progress: MoveProgress[] = [];
    const moved = await moveToPostgres(scene.config, scene.url, (step) => progress.push(step));
    const tables = moved.tables.map(
      ({ name, summary: { rows, counter } }) => [name, rows, counter] as const,
    );
    expect(tables.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      ["agent_rules", 3, null],
      ["audit", 4, "4"],
      ["chain_binding", 1, null],
      ["collections", 1, "1"],
      ["daily_launches", 2, null],
      ["event_counters", 2, null],
      ["events", 3, "3"],
      ["fee_thresholds", 1, null],
      ["images", IMAGES, null],
      ["invites", 1, "1"],
      ["launch_attempts", 0, null],
      ["launch_starts", 1, "1"],
      ["launches", LAUNCHES, `${LAUNCHES}`],
      ["markets", 1, null],
      ["payouts", 1, null],
      ["pool_migrations", 2, null],
      ["pool_terms", 2, "2"],
      ["prepared", 3, "3"],
      ["prices", 2, null],
      ["service_time", 1, null],
      ["spending", 1, null],
      ["steering", 1, null],
      ["tokens", 2, "2"],
      ["webhook_deliveries", 1, null],
      ["webhooks", 2, null],
    ]);
    expect(progress.filter(({ table }) => table === "launches")).toEqual([
      { table: "launches", copied: 0, rows: LAUNCHES },
      { table: "launches", copied: LAUNCHES, rows: LAUNCHES },
    ]);

    const store = await openPostgresStore(scene.url, { timeouts: PATIENT });
    try {
      expect(await store.chainBinding.read()).toEqual({
        ...BINDING,
        mintSecretFingerprint: fingerprintOf(SECRET),
      });
      const { waiting } = scene;
      expect(await store.webhooks.lease({ id: "next", ms: 60_000 }, dueWebhooks())).toMatchObject([
        {
          webhook: {
            wallet: "one",
            host: "of-one.example",
            key: Buffer.alloc(32, 1),
            oldKey: Buffer.alloc(32, 255),
          },
          delivery: { number: 1, event: 2, attempts: 2 },
        },
      ]);
      // The signed launch comes first, although its lease has not expired.
      const leased = await store.launches.lease("next", 60_000);
      expect(leased).toMatchObject({ eventId: waiting, signature: "signature-THREE", attempts: 2 });
      expect(leased?.transaction).toEqual(Buffer.from([1, 2, 3]));
      const unsigned = "select count(*)::int as n from launches where transaction is null";
      expect(await query(scene.url, unsigned)).toEqual([{ n: LAUNCHES - 1 }]);
      // Numbering continues.
      await store.launches.succeed(
        { ...leased, eventId: waiting } as never,
        { leaseId: "next" },
        {
          tokenMint: "mint-THREE",
          poolAddress: "pool-THREE",
        },
      );
      expect((await store.tokens.findAny("mint-THREE"))?.id).toBe(3);
    } finally {
      await store.close();
    }
  });

  test("is refused for what is no stopped service of a cluster, and leaves the target empty", async () => {
    using scene = await setUp();
    const { config, url, files } = scene;
    const refused = (promise: Promise<unknown>) => (message: string) =>
      expect(promise).rejects.toThrow(message);
    const lock = lockDataDirectory(scene.dataDir);
    await refused(moveToPostgres(config, url))("Another tokend is running");
    lock.release();

    const other = { ...config, mintSecret: Buffer.alloc(32, 2) };
    await refused(moveToPostgres(other, url))(
      `MINT_SECRET is not the secret in ${files.mintSecret}`,
    );
    rmSync(files.mintSecret);
    await refused(moveToPostgres(config, url))(`${files.mintSecret} is missing`);
    await refused(moveToPostgres(other, url))("is not the mint secret of the launches");
    const given = { ...config, mintSecret: SECRET };

    scene.change("update chain_binding set chain = 'local'");
    await refused(moveToPostgres(given, url))("is a sandbox's (CHAIN=local)");
    scene.change("update chain_binding set chain = 'solana'");
    scene.change("create table kept as select * from chain_binding");
    scene.change("delete from chain_binding");
    await refused(moveToPostgres(given, url))("belongs to no chain yet");
    scene.change("insert into chain_binding select * from kept");
    scene.change("drop table kept");

    const nowhere = { ...given, dataDir: join(scene.dataDir, "nowhere") };
    await refused(moveToPostgres(nowhere, url))("There is no database in");
    const missing = url.replace(/\/[^/]+$/, "/nowhere");
    await refused(moveToPostgres(given, missing))('database "nowhere" does not exist');
    using client = new Database(files.database);
    const version = client.query<{ user_version: number }, []>("pragma user_version").get();
    scene.change("pragma user_version = 1000");
    await refused(moveToPostgres(given, url))("The database has version 1000");
    scene.change(`pragma user_version = ${version?.user_version}`);

    expect(await rowsIn(url)).toBe(0);
    const { host, pathname } = new URL(url);
    // The first of its hosts does not answer.
    await moveToPostgres(given, url.replace(host, `127.0.0.1:1,${host}`));
    const rows = await rowsIn(url);
    expect(rows).toBe(LAUNCHES + 38 + IMAGES);
    const moved = `was moved to PostgreSQL (127.0.0.1:1,${host}${pathname})`;
    await refused(moveToPostgres(given, url))(moved);
    await refused(openBesideServer(given, true))(moved);
    expect(() => makeBackup(scene.dataDir, join(scene.dataDir, "copy"), SECRET)).toThrow(moved);
    rmSync(files.moved);
    await refused(moveToPostgres(given, url))(
      "The database is not empty: its table agent_rules has rows",
    );
    expect(await rowsIn(url)).toBe(rows);
  });

  test("is refused into a database that has other tables", async () => {
    using scene = await setUp();
    await query(scene.url, "create table others (id int)");
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      "The database has other tables: migrate into an empty one",
    );
    expect(
      await query(scene.url, "select tablename from pg_tables where schemaname = 'public'"),
    ).toEqual([{ tablename: "others" }]);
  });

  test("that fails half-way leaves no row, and can be repeated", async () => {
    using scene = await setUp();
    // Claims are copied after launches and tokens.
    scene.change("update prepared set status = 'odd' where message_hash = 'prepared'");
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      'PostgreSQL refused the copy in the table prepared: new row for relation "prepared" violates check constraint "prepared_status". Nothing was kept there.',
    );
    expect(await rowsIn(scene.url)).toBe(0);
    scene.change("update prepared set status = 'prepared' where message_hash = 'prepared'");
    // A wallet's second token of a day, which the index refuses.
    scene.change("drop index launches_day");
    scene.change("update launches set wallet = 'one' where ticker = 'TWO'");
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      /in the table launches: .*"launches_day" \(Key \(wallet, day\)=\(one, [0-9-]+\) already exists\.\)/,
    );
    expect(await rowsIn(scene.url)).toBe(0);
    scene.change("update launches set wallet = 'two' where ticker = 'TWO'");
    // SQLite stores a value of any type in a column.
    scene.change("update tokens set deployed_at = 'soon' where ticker = 'TWO'");
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      'invalid input syntax for type bigint: "soon". Nothing was kept there.',
    );
    expect(await rowsIn(scene.url)).toBe(0);
    scene.change("update tokens set deployed_at = 1 where ticker = 'TWO'");
    await moveToPostgres(scene.config, scene.url);
    expect(await rowsIn(scene.url)).toBe(LAUNCHES + 38 + IMAGES);
  });

  test("is not kept if what arrived differs", async () => {
    using scene = await setUp();
    await (await openPostgresStore(scene.url, { timeouts: PATIENT })).close();
    await query(
      scene.url,
      `create function alter_row() returns trigger language plpgsql as
         $$ begin new.claimed_at := new.claimed_at + 1; return new; end $$;
       create trigger alter_row before insert on tokens for each row execute function alter_row()`,
    );
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      "The copy of tokens differs in its checksum",
    );
    expect(await rowsIn(scene.url)).toBe(0);
  });
});
