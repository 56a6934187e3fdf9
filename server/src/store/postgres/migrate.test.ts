import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { PATIENT, sharedPostgres } from "../../testing/postgres.ts";
import { POSTGRES_TYPES } from "../database.ts";
import { migrations } from "../migrations.ts";
import { MOVED_TABLES } from "../moved-tables.ts";
import { migrate as migrateSqlite } from "../sqlite/store.ts";
import { newLaunch } from "../testing/rows.ts";
import { migrate, readVersion } from "./migrate.ts";
import { openPostgresStore } from "./store.ts";

describePostgres("a database", () => {
  let url: string;
  let client: pg.Client;
  beforeEach(async () => {
    url = await (await sharedPostgres()).createDatabase();
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await (await sharedPostgres()).dropDatabase(url);
  });

  test("gets every migration once, and keeps its rows", async () => {
    expect(await readVersion(client)).toBe(0);
    await migrate(client);
    expect(await readVersion(client)).toBe(migrations.length);
    await client.query("insert into spending values ('2026-03-01', 5)");
    await migrate(client);
    expect((await client.query("select * from spending")).rows).toHaveLength(1);
  });

  test("has the tables, keys, indexes and counters that SQLite has", async () => {
    await migrate(client);
    using sqlite = new Database(":memory:");
    migrateSqlite(sqlite);
    const shape = async (sql: string) =>
      (await client.query<{ is: string }>(sql)).rows.map((row) => row.is);
    for (const { name, columns, counter } of MOVED_TABLES) {
      const made = await shape(`select column_name || ' ' || data_type || ' ' || is_identity as is
        from information_schema.columns where table_name = '${name}' and column_name not like 'lease_%'
        order by ordinal_position`);
      const expected = Object.entries(columns).map(
        ([column, type]) =>
          `${column} ${POSTGRES_TYPES[type]} ${column === counter ? "YES" : "NO"}`,
      );
      expect([name, ...made]).toEqual([name, ...expected]);
    }
    const named = "name from sqlite_schema where type = 'index' and sql is not null";
    const indexes = sqlite.query<[string], []>(`select ${named}`).values().flat();
    expect(await shape("select indexname as is from pg_indexes")).toEqual(
      expect.arrayContaining(indexes),
    );
    const keys = sqlite.query(
      `select t.name from sqlite_schema t, pragma_foreign_key_list(t.name) where t.type = 'table'`,
    );
    expect(await shape("select conname as is from pg_constraint where contype = 'f'")).toHaveLength(
      keys.values().length,
    );
  });

  test("is migrated once by servers that start at the same time", async () => {
    const step = "create table steps (n int); insert into steps values (1)";
    const known = [...migrations, step, "insert into steps values (2)"];
    const clients = Array.from({ length: 5 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(
      clients.map(async (one) => {
        await one.connect();
        await migrate(one, known);
        await one.end();
      }),
    );
    expect(await readVersion(client)).toBe(known.length);
    expect((await client.query("select n from steps order by n")).rows).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
  });

  test("stays as it was if a migration fails in the middle", async () => {
    const broken = "create table half (n int);--> statement-breakpoint select 1 / 0";
    await expect(migrate(client, [...migrations, broken])).rejects.toThrow("division by zero");
    expect(await readVersion(client)).toBe(migrations.length);
    const { rows } = await client.query("select to_regclass('half') as half");
    expect(rows).toEqual([{ half: null }]);
  });

  test("that a newer program wrote stops the start, and is not changed", async () => {
    const newer = migrations.length + 1;
    await migrate(client, [...migrations, "create table later (n int)"]);
    const opened = openPostgresStore(url, { timeouts: PATIENT });
    await expect(opened).rejects.toThrow(
      `The database has version ${newer}; this program knows ${migrations.length}. `,
    );
    expect(await readVersion(client)).toBe(newer);
  });

  test("that a newer program migrates works on for the servers of the version before", async () => {
    const store = await openPostgresStore(url, { timeouts: PATIENT });
    const eventId = crypto.randomUUID();
    const createdAt = store.clock.now();
    await store.launches.insert([newLaunch("ONE", { eventId, createdAt })]);
    const lease = () => store.launches.lease("lease", 60_000);
    expect(await lease()).toMatchObject({ eventId });
    await store.launches.postpone(eventId, "lease", { delayMs: 0 });
    const expand = `alter table launches add later text;
      alter table tokens add later integer not null default 0;
      create table later (id integer primary key);
      create index launches_later on launches (later)`;
    await migrate(client, [...migrations, expand]);
    // The statement was prepared before the migration, on the same connection.
    expect(Object.keys((await lease()) ?? {})).not.toContain("later");
    const two = newLaunch("TWO", { eventId: "b", createdAt });
    expect(await store.launches.insert([two])).toEqual([{ kind: "stored" }]);
    await store.close();
  });
});
