import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { ManualClock } from "../../testing/manual-clock.ts";
import { PATIENT, POSTGRES_PROGRAMS, sharedPostgres } from "../../testing/postgres.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import type { Store, StoreListeners } from "../store.ts";

/** The time of a test's database when the test begins: 2026-03-01, 09:00 UTC. */
export const START = Date.UTC(2026, 2, 1, 9, 0, 0);
export const TODAY = "2026-03-01";
export const DAY_MS = 86_400_000;

export interface TestDatabase {
  readonly store: Store;
  /** Opens another server's store on the same database, and closes it after the test. */
  openAnother(listeners?: StoreListeners): Promise<Store>;
  closeAll(): Promise<void>;
  now(): number;
  setTime(now: number): Promise<void>;
  select(sql: string): Promise<Record<string, unknown>[]>;
  execute(sql: string): Promise<void>;
}

export interface Engine {
  readonly name: string;
  readonly isHere: boolean;
  /**
   * Stores the rows that tests begin with: once in a process, whose files share them.
   * @returns what `fill` returned, and what opens a test's own database with these rows
   */
  prepare<Filled>(fill: (database: TestDatabase) => Promise<Filled>): Promise<Prepared<Filled>>;
}

export interface Prepared<Filled> {
  readonly filled: Filled;
  open(): Promise<TestDatabase>;
}

/** SQLite: each test has its own file, a copy of the one with the initial rows. */
export const sqliteEngine: Engine = {
  name: "SQLite",
  isHere: true,

  prepare: async (fill) => {
    using directory = tempDir();
    const path = join(directory.path, "filled.sqlite");
    const first = databaseAt(path);
    const filled = await fill(first);
    await first.closeAll();
    const bytes = readFileSync(path);
    const open = async () => {
      const own = tempDir();
      const copy = join(own.path, "tokend.sqlite");
      writeFileSync(copy, bytes);
      const database = databaseAt(copy);
      const closeAll = async () => {
        await database.closeAll();
        own[Symbol.dispose]();
      };
      return { ...database, closeAll };
    };
    return { filled, open };
  },
};

/** A database in a file, made if it is missing. */
export function databaseAt(path: string): TestDatabase {
  const clock = new ManualClock(START);
  const stores: Store[] = [];
  const openAnother = async (listeners: StoreListeners = {}) => {
    const store = openSqliteStore(path, { clock, ...listeners });
    stores.push(store);
    return store;
  };
  const first = openSqliteStore(path, { clock });
  stores.push(first);
  return {
    store: first,
    openAnother,
    closeAll: async () => {
      for (const store of stores) await store.close();
    },
    now: () => clock.now(),
    setTime: async (now) => clock.set(now),
    select: async (sql) => {
      using client = new Database(path, { readonly: true });
      return client.query<Record<string, unknown>, []>(sql).all();
    },
    execute: async (sql) => {
      using client = new Database(path);
      client.run(sql);
    },
  };
}

const TIME = "(select ms from test_time)";
const OPTIONS = { time: TIME, poolSize: 4, timeouts: PATIENT };

const TABLES = [
  ...["pool_terms", "launches", "tokens", "prepared", "payouts", "events", "event_counters"],
  ...["fee_thresholds", "spending", "images"],
  ...["agent_rules", "invites", "launch_starts", "steering", "audit"],
  ...["webhooks", "webhook_deliveries"],
];
const EMPTY_TABLES = [
  ...["daily_launches", "used_nonces", "chain_binding", "leases", "servers"],
  ...["collections", "pool_migrations", "prices", "markets"],
];

const SAVE = TABLES.map((table) => `create table saved_${table} as table ${table}`).join(";");
const RESTORE = [
  // Without triggers and foreign keys: otherwise the audit table's rows cannot be deleted.
  "set session_replication_role = replica",
  ...[...EMPTY_TABLES, ...TABLES.toReversed()].map((table) => `delete from ${table}`),
  ...TABLES.map((table) => `insert into ${table} select * from saved_${table}`),
  "set session_replication_role = origin",
  `update test_time set ms = ${START}`,
].join(";");

/** Not restored: the schema's version, and the time that a test sets. */
const KEPT_TABLES = ["tokend_schema", "test_time"];

/** Checks that no table is forgotten, which would go unnoticed without foreign keys. */
async function expectAllTables(client: pg.Client): Promise<void> {
  const sql = "select tablename from pg_tables where schemaname = 'public'";
  const { rows } = await client.query<{ tablename: string }>(sql);
  const names = rows.map(({ tablename }) => tablename);
  expect(names.sort()).toEqual([...TABLES, ...EMPTY_TABLES, ...KEPT_TABLES].sort());
}

/** PostgreSQL: the tests of a process share one database and one store, reset before each test. */
export const postgresEngine: Engine = {
  name: "PostgreSQL",
  isHere: POSTGRES_PROGRAMS !== null,

  prepare: async (fill) => {
    const url = await (await sharedPostgres()).createDatabase();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query("create table test_time (ms bigint not null)");
    await admin.query("insert into test_time values (0)");
    const store = await openPostgresStore(url, OPTIONS);
    await expectAllTables(admin);
    const filled = await fill(databaseOf(url, admin, store));
    await admin.query(SAVE);
    const open = async () => {
      await admin.query(RESTORE);
      return databaseOf(url, admin, store);
    };
    return { filled, open };
  },
};

function databaseOf(url: string, client: pg.Client, first: Store): TestDatabase {
  let now = START;
  const others: Store[] = [];
  return {
    store: first,
    closeAll: async () => {
      for (const other of others) await other.close();
    },
    openAnother: async (listeners = {}) => {
      const other = await openPostgresStore(url, { ...OPTIONS, ...listeners });
      others.push(other);
      return other;
    },
    now: () => now,
    setTime: async (time) => {
      await client.query("update test_time set ms = $1", [time]);
      now = time;
    },
    select: async (sql) => (await client.query(sql)).rows,
    execute: async (sql) => void (await client.query(sql)),
  };
}
