import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import pg from "pg";
import { insertLaunch, insertToken, lease } from "../testing/launches.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { PATIENT, POSTGRES_PROGRAMS, sharedPostgres } from "../testing/postgres.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { POSTGRES_TYPES } from "./database.ts";
import { migrations } from "./migrations.ts";
import { MOVED_TABLES } from "./moved-tables.ts";
import { migrate as migratePostgres, readVersion } from "./postgres/migrate.ts";
import { openPostgresStore } from "./postgres/store.ts";
import * as schema from "./schema.ts";
import { migrate as migrateSqlite, openDatabase, openSqliteStore } from "./sqlite/store.ts";

const BREAK = "--> statement-breakpoint";

function onSqlite() {
  const folder = tempDir();
  const path = join(folder.path, "tokend.sqlite");
  const client = new Database(path);
  return {
    migrate: async (known = migrations) => migrateSqlite(client, known),
    version: async () => client.query("pragma user_version").values()[0]?.[0] as number,
    run: async (sql: string) => client.query(sql).values(),
    open: async () => openSqliteStore(path, { clock: new ManualClock() }),
    async [Symbol.asyncDispose]() {
      client.close();
      folder[Symbol.dispose]();
    },
  };
}

let url = "";

async function onPostgres() {
  url ||= await (await sharedPostgres()).createDatabase();
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const client = await connect();
  return {
    connect,
    migrate: (known = migrations) => migratePostgres(client, known),
    version: () => readVersion(client),
    run: async (text: string): Promise<unknown[][]> =>
      (await client.query({ text, rowMode: "array" })).rows,
    open: () => openPostgresStore(url, { timeouts: PATIENT }),
    async [Symbol.asyncDispose]() {
      await client.query("drop schema public cascade; create schema public");
      await client.end();
    },
  };
}

describe.each([
  ["SQLite", onSqlite, true],
  ["PostgreSQL", onPostgres, POSTGRES_PROGRAMS !== null],
])("a database on %s", (_, make, isHere) => {
  const { length } = migrations;

  test.skipIf(!isHere)("gets every migration once, and keeps its rows", async () => {
    await using db = await make();
    expect(await db.version()).toBe(0);
    await db.migrate();
    expect(await db.version()).toBe(length);
    await db.run("insert into spending values ('2026-03-01', '5')");
    await db.migrate();
    expect(await db.run("select day from spending")).toEqual([["2026-03-01"]]);
  });

  test.skipIf(!isHere)("stays as it was if a migration fails in the middle", async () => {
    await using db = await make();
    const half = "create table half (n int)";
    const broken = [...migrations, `${half}${BREAK} ${half}`];
    await expect(db.migrate(broken)).rejects.toThrow("already exists");
    expect(await db.version()).toBe(length);
    await db.run(half);
  });

  test.skipIf(!isHere)(
    "that a newer program migrates works on for the program that has it open, and starts no more of it",
    async () => {
      await using db = await make();
      const store = await db.open();
      const at = { store, clock: store.clock };
      const eventId = await insertLaunch(at, "ONE");
      expect(await lease(at, "one")).toMatchObject({ eventId });
      await store.launches.postpone(eventId, "one", { delayMs: 0 });
      const expand = [
        "alter table launches add later text",
        "alter table tokens add later integer not null default 0",
        "create table later (id integer primary key)",
        "create index launches_later on launches (later)",
      ];
      await db.migrate([...migrations, expand.join(BREAK)]);
      // Both statements were prepared before the migration, on the same connection.
      expect(Object.keys((await lease(at, "two")) ?? {})).not.toContain("later");
      expect((await insertToken(at, "TWO", { wallet: "other" })).ticker).toBe("TWO");
      await store.close();
      await expect(db.open()).rejects.toThrow(
        `The database has version ${length + 1}; this program knows ${length}. `,
      );
      expect(await db.version()).toBe(length + 1);
    },
  );
});

describe.skipIf(!POSTGRES_PROGRAMS)("a database on PostgreSQL", () => {
  test("has the tables, keys, indexes and counters that SQLite has", async () => {
    await using db = await onPostgres();
    await db.migrate();
    using sqlite = new Database(":memory:");
    migrateSqlite(sqlite);
    const shape = async (sql: string) => (await db.run(sql)).flat();
    for (const { name, columns, counter } of MOVED_TABLES) {
      const made = await shape(`select column_name || ' ' || data_type || ' ' || is_identity
        from information_schema.columns where table_name = '${name}' and column_name not like 'lease_%'
        order by ordinal_position`);
      const expected = Object.entries(columns).map(
        ([column, type]) =>
          `${column} ${POSTGRES_TYPES[type]} ${column === counter ? "YES" : "NO"}`,
      );
      expect([name, ...made]).toEqual([name, ...expected]);
    }
    const named = "name from sqlite_schema where type = 'index' and sql is not null";
    const indexes = sqlite.query(`select ${named}`).values().flat();
    expect(await shape("select indexname from pg_indexes")).toEqual(
      expect.arrayContaining(indexes),
    );
    const keys = sqlite.query(
      `select t.name from sqlite_schema t, pragma_foreign_key_list(t.name) where t.type = 'table'`,
    );
    expect(await shape("select conname from pg_constraint where contype = 'f'")).toHaveLength(
      keys.values().length,
    );
  });

  test("is migrated once by servers that start at the same time", async () => {
    await using db = await onPostgres();
    const step = `create table steps (n int)${BREAK} insert into steps values (1)`;
    const known = [...migrations, step, "insert into steps values (2)"];
    const servers = Array.from({ length: 5 }, async () => {
      const client = await db.connect();
      await migratePostgres(client, known);
      await client.end();
    });
    await Promise.all(servers);
    expect(await db.version()).toBe(known.length);
    expect(await db.run("select n from steps order by n")).toEqual([[1], [2]]);
  });
});

function structure(client: Database) {
  return client
    .query<{ name: string; sql: string | null }, []>(
      "select type, name, tbl_name, sql from sqlite_schema order by type, name",
    )
    .all();
}

test("a database of another program is refused, and not changed", () => {
  using directory = tempDir();
  const path = join(directory.path, "foreign.sqlite");
  using client = new Database(path);
  client.run("create table theirs (id integer)");
  const before = structure(client);
  expect(() => openDatabase(path)).toThrow("The database is another program's");
  expect(structure(client)).toEqual(before);
});

const FOLDER = join(import.meta.dir, "migrations");

test("the program carries every migration of the folder, in order", async () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  const texts = await Promise.all(files.sort().map((name) => Bun.file(join(FOLDER, name)).text()));
  expect([...migrations]).toEqual(texts);
});

test("the migrations create exactly the tables of schema.ts", async () => {
  const now = await generateSQLiteDrizzleJson(schema);
  const fresh = new Database(":memory:");
  const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), now);
  // drizzle cannot express that rows are stored in the order of their key.
  const isByKey = /^CREATE TABLE `(tokens|payouts|prices|event_counters)`/;
  for (const statement of statements) {
    fresh.run(isByKey.test(statement) ? statement.replace(/;\s*$/, " WITHOUT ROWID") : statement);
  }
  const migrated = new Database(":memory:");
  migrateSqlite(migrated);
  expect(structure(migrated)).toEqual(structure(fresh));

  const snapshots = readdirSync(join(FOLDER, "meta")).filter((name) => name.endsWith("json"));
  const latest = snapshots
    .filter((name) => name.includes("snapshot"))
    .sort()
    .at(-1);
  const known: DrizzleSQLiteSnapshotJSON = await Bun.file(join(FOLDER, "meta", `${latest}`)).json();
  // This is what `drizzle-kit generate` would write next.
  expect(await generateSQLiteMigration(known, now)).toEqual([]);
});
