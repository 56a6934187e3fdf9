import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { dataFiles } from "../config/config.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import { MOVED_TABLES } from "../store/moved-tables.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { cutPair, startProxy, throughPort } from "../store/postgres/testing/proxy.ts";
import type { Store } from "../store/store.ts";
import { addOtherWallet, TestStore } from "../store/testing/contract.ts";
import { databaseAt } from "../store/testing/engines.ts";
import { UNBOUNDED_IMAGES } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { PATIENT, POSTGRES_PROGRAMS, sharedPostgres } from "../testing/postgres.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { makeBackup } from "./backup.ts";
import { lockDataDirectory } from "./directory.ts";
import { moveToPostgres } from "./move-to-postgres.ts";
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
const LAUNCHES = 14;
/** More than PostgreSQL's largest integer. */
const HUGE = 2n ** 70n;

/** More than one batch holds. */
const IMAGES = 20;
/** In all tables. */
const ROWS = 86;

/** Makes a stopped service's folder with rows of every kind, and an empty target database. */
async function setUp() {
  const dir = tempDir();
  const dataDir = join(dir.path, "data");
  mkdirSync(dataDir);
  const files = dataFiles(dataDir);
  writeFileSync(files.mintSecret, SECRET.toString("hex"), { mode: 0o600 });
  const at = new TestStore();
  at.database = databaseAt(files.database);
  const { store } = at;
  await store.chainBinding.bind(BINDING);
  await addOtherWallet(at, true);
  const description = "two lines\n and \u{1f600}";
  for (const ticker of ["ONE", "TWO"]) {
    await insertToken(at, ticker, { wallet: ticker, description, address: "::1" });
  }
  // Enough rows that their numeric order differs from their order as texts.
  for (let n = 7; n <= LAUNCHES; n++) await insertLaunch(at, `MORE${n}`, { wallet: "two" });
  await store.launches.lease("held", 60_000, { maxPerHour: 9 });
  await collectAndMigrate(store);
  const market = { price: HUGE, marketCap: HUGE, raised: null, goal: HUGE, earned: 0n, fees: HUGE };
  await store.markets.record([{ tokenId: 1, ...market, feeRateAt: () => null }], 5);
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
  const change = { actor: "ops", action: "x", subject: null, detail: null, reason: description };
  await store.operator.setRule("two", { list: "blocked", isOn: true }, change);
  await store.operator.setRule("one", { list: "allowed", isOn: true }, change);
  const invite = { codeHash: "hash", note: description, maxUses: 2, expiresAt: 2 ** 50 };
  await store.operator.createInvites([invite], change);
  await store.operator.redeem("three", "hash");
  await store.operator.steer({ pauses: { claims: description } }, change);
  await at.database.closeAll();
  const url = await (await sharedPostgres()).createDatabase();
  return {
    dataDir,
    files,
    url,
    config: { dataDir, databaseUrl: null, mintSecret: null },
    change(sql: string): void {
      using client = new Database(files.database);
      client.run(sql);
    },
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
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
    const { tables } = await moveToPostgres(scene.config, scene.url);
    expect(tables.map(({ name }) => name)).toEqual(MOVED_TABLES.map(({ name }) => name));
    expect(tables.filter(({ rows }) => rows === 0)).toEqual([]);
    expect(tables).toContainEqual({ name: "launches", rows: LAUNCHES });

    const store = await openPostgresStore(scene.url, { timeouts: PATIENT });
    try {
      expect(await store.chainBinding.read()).toEqual({
        ...BINDING,
        mintSecretFingerprint: fingerprintOf(SECRET),
      });
      // The signed launch comes first, although its lease has not expired.
      const leased = await store.launches.lease("next", 60_000);
      expect(leased).toMatchObject({
        ticker: "UNPEND",
        signature: "signature-UNPEND",
        attempts: 2,
      });
      expect(leased?.transaction).toEqual(Buffer.from([1, 2, 3]));
      // Numbering continues.
      const place = { tokenMint: "mint-NEXT", poolAddress: "pool-NEXT" };
      await store.launches.succeed(leased as LaunchRow, { leaseId: "next" }, place);
      expect((await store.tokens.findAny("mint-NEXT"))?.id).toBe(4);
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
    await refused(moveToPostgres(nowhere, url))("No database in");
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
    expect(rows).toBe(ROWS);
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

  test("that fails half-way leaves no row, and can be repeated", async () => {
    using scene = await setUp();
    // SQLite stores a value of any type in a column.
    scene.change("update tokens set deployed_at = 'soon' where ticker = 'TWO'");
    await expect(moveToPostgres(scene.config, scene.url)).rejects.toThrow(
      'invalid input syntax for type bigint: "soon". Nothing was kept there.',
    );
    expect(await rowsIn(scene.url)).toBe(0);
    scene.change("update tokens set deployed_at = 1 where ticker = 'TWO'");
    await moveToPostgres(scene.config, scene.url);
    expect(await rowsIn(scene.url)).toBe(ROWS);
  });

  test("says that it may have been kept if the connection is lost in its commit", async () => {
    using scene = await setUp();
    let isCommitting = false;
    let hasRows = false;
    await using proxy = await startProxy(Number(new URL(scene.url).port), {
      toServer(bytes) {
        hasRows ||= bytes.includes("lock table");
        isCommitting ||= hasRows && bytes.includes("commit\0");
        return bytes;
      },
      toClient(bytes, pair) {
        if (isCommitting) cutPair(pair);
        return bytes;
      },
    });
    await expect(moveToPostgres(scene.config, throughPort(scene.url, proxy.port))).rejects.toThrow(
      "It is not known whether the copy was kept",
    );
    expect(await rowsIn(scene.url)).toBe(ROWS);
    expect(existsSync(dataFiles(scene.config.dataDir).moved)).toBe(false);
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
