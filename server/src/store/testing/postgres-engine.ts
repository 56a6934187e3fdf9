import { expect } from "bun:test";
import pg from "pg";
import { PATIENT, POSTGRES_PROGRAMS, sharedPostgres } from "../../testing/postgres.ts";
import { openPostgresStore } from "../postgres/store.ts";
import type { Store } from "../store.ts";
import { type Engine, START, type TestDatabase } from "./engine.ts";

const TIME = "(select ms from test_time)";
const OPTIONS = { time: TIME, poolSize: 4, timeouts: PATIENT };

const TABLES = [
  ...["pool_terms", "launches", "tokens", "prepared", "payouts", "events", "event_counters"],
  ...["fee_thresholds", "spending", "images"],
  ...["agent_rules", "invites", "launch_starts", "launch_attempts", "steering", "audit"],
  ...["webhooks", "webhook_deliveries"],
];
const EMPTY_TABLES = [
  ...["daily_launches", "used_nonces", "chain_binding", "leases", "servers"],
  ...["collections", "pool_migrations", "service_time", "prices", "markets", "console_links"],
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

let url = "";
let admin: pg.Client | null = null;
let store: Store | null = null;

/** Not restored: the schema's version, and the time that a test sets. */
const KEPT_TABLES = ["tokend_schema", "test_time"];

/** Checks that no table is forgotten, which would go unnoticed without foreign keys. */
async function expectAllTables(client: pg.Client): Promise<void> {
  const sql = "select tablename from pg_tables where schemaname = 'public'";
  const { rows } = await client.query<{ tablename: string }>(sql);
  const names = rows.map(({ tablename }) => tablename);
  expect(names.sort()).toEqual([...TABLES, ...EMPTY_TABLES, ...KEPT_TABLES].sort());
}

/** PostgreSQL: the tests of a file share one database and one store, reset before each test. */
export const postgresEngine: Engine = {
  name: "PostgreSQL",
  isHere: POSTGRES_PROGRAMS !== null,

  start: async (fill) => {
    url = await (await sharedPostgres()).createDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query("create table test_time (ms bigint not null)");
    await admin.query("insert into test_time values (0)");
    store = await openPostgresStore(url, OPTIONS);
    await expectAllTables(admin);
    await fill(databaseOf(admin, store));
    await admin.query(SAVE);
  },

  open: async () => {
    if (!admin || !store) throw new Error("the engine is not started");
    await admin.query(RESTORE);
    return databaseOf(admin, store);
  },

  close: async (database) => {
    for (const other of (database as PostgresTestDatabase).others) await other.close();
  },

  stop: async () => {
    await store?.close();
    await admin?.end();
    await (await sharedPostgres()).dropDatabase(url);
  },
};

interface PostgresTestDatabase extends TestDatabase {
  readonly others: readonly Store[];
}

function databaseOf(client: pg.Client, first: Store): PostgresTestDatabase {
  let now = START;
  const others: Store[] = [];
  return {
    store: first,
    others,
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
