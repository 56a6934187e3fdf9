import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { insertLaunch, insertToken, lease } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { migrations } from "../migrations.ts";
import * as schema from "../schema.ts";
import { migrate, openDatabase, openSqliteStore } from "./store.ts";

const FOLDER = join(import.meta.dir, "../migrations");

function version(client: Database): number {
  return (client.query("pragma user_version").get() as { user_version: number }).user_version;
}

function structure(client: Database) {
  return client
    .query<{ name: string; sql: string | null }, []>(
      "select type, name, tbl_name, sql from sqlite_schema order by type, name",
    )
    .all();
}

test("a database gets every migration once, and keeps its rows", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const first = openDatabase(path);
  expect(version(first)).toBe(migrations.length);
  const made = structure(first);
  first.run("insert into spending values ('2026-03-01', '5')");
  first.close();
  const second = openDatabase(path);
  expect(structure(second)).toEqual(made);
  expect(second.query("select * from spending").values()).toEqual([["2026-03-01", "5"]]);
  second.close();
});

test("a database that a newer program migrates works on for the program that has it open", async () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const clock = new ManualClock();
  const store = openSqliteStore(path, { clock });
  const at = { store, clock };
  await insertLaunch(at, "ONE");
  using newer = new Database(path);
  const expand = `alter table launches add later text;
    alter table tokens add later integer not null default 0;
    create table later (id integer primary key);
    create index launches_later on launches (later)`;
  migrate(newer, [...migrations, expand.replaceAll(";", "--> statement-breakpoint")]);
  // The statement was prepared before the migration, on the same connection.
  expect(Object.keys((await lease(at, "one")) ?? {})).not.toContain("later");
  expect((await insertToken(at, "TWO", { wallet: "other" })).ticker).toBe("TWO");
  await store.close();
  expect(() => openSqliteStore(path, { clock })).toThrow("this program knows");
});

test("a database of another program is refused, and not changed", () => {
  using directory = tempDir();
  const path = join(directory.path, "foreign.sqlite");
  using client = new Database(path);
  client.run("create table theirs (id integer)");
  const before = structure(client);
  expect(() => openDatabase(path)).toThrow("The database is another program's");
  expect(structure(client)).toEqual(before);
});

test("a database of a newer program is refused with an explanation, and not changed", () => {
  const client = new Database(":memory:");
  client.run(`pragma user_version = ${migrations.length + 1}`);
  expect(() => migrate(client)).toThrow(
    `The database has version ${migrations.length + 1}; this program knows ${migrations.length}.`,
  );
  expect(structure(client)).toEqual([]);
});

test("a migration that fails changes nothing", () => {
  const client = new Database(":memory:");
  // The last table of the first migration already exists.
  client.run("create table tokens (id integer)");
  expect(() => migrate(client)).toThrow("already exists");
  expect(version(client)).toBe(0);
  expect(structure(client)).toHaveLength(1);
});

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
  migrate(migrated);
  // It cannot express triggers either.
  const triggers = ["audit_no_delete", "audit_no_update"];
  expect(structure(migrated).filter(({ name }) => !triggers.includes(name))).toEqual(
    structure(fresh),
  );

  const snapshots = readdirSync(join(FOLDER, "meta")).filter((name) => name.endsWith("json"));
  const latest = snapshots
    .filter((name) => name.includes("snapshot"))
    .sort()
    .at(-1);
  const known: DrizzleSQLiteSnapshotJSON = await Bun.file(join(FOLDER, "meta", `${latest}`)).json();
  // This is what `drizzle-kit generate` would write next.
  expect(await generateSQLiteMigration(known, now)).toEqual([]);
});
