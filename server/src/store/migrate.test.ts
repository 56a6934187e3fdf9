import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { tempDir } from "../testing/temp-dir.ts";
import { openDatabase } from "./database.ts";
import { migrate, migrations } from "./migrate.ts";
import * as schema from "./schema.ts";

const FOLDER = join(import.meta.dir, "migrations");

function version(client: Database): number {
  return (client.query("pragma user_version").get() as { user_version: number }).user_version;
}

/** Everything that a database is made of, in words. */
function structure(client: Database): unknown[] {
  return (
    client
      .query<{ sql: string | null }, []>(
        "select type, name, tbl_name, sql from sqlite_schema order by type, name",
      )
      .all()
      // A column that was added later stands on the line of the one before it.
      .map((thing) => ({ ...thing, sql: thing.sql?.replaceAll(/\s+/g, " ") }))
  );
}

test("default: a new database gets every migration, a second time nothing", () => {
  const client = new Database(":memory:");
  migrate(client);
  expect(version(client)).toBe(migrations.length);
  const made = structure(client);
  migrate(client);
  expect(structure(client)).toEqual(made);
});

test("behavior: what is in the database stays through opening it again", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const first = openDatabase(path);
  first.insert(schema.spending).values({ day: "2026-03-01", lamports: 5n }).run();
  first.$client.close();
  const second = openDatabase(path);
  expect(second.select().from(schema.spending).all()).toEqual([
    { day: "2026-03-01", lamports: 5n },
  ]);
  second.$client.close();
});

test("behavior: a newer program's database is refused untouched, in words", () => {
  const client = new Database(":memory:");
  client.run(`pragma user_version = ${migrations.length + 1}`);
  expect(() => migrate(client)).toThrow(
    `The database has version ${migrations.length + 1}; this program knows ${migrations.length}.`,
  );
  expect(structure(client)).toEqual([]);
});

test("behavior: a migration that fails leaves nothing half-made", () => {
  const client = new Database(":memory:");
  // The last table of the first migration is there already.
  client.run("create table tokens (id integer)");
  expect(() => migrate(client)).toThrow("already exists");
  expect(version(client)).toBe(0);
  expect(structure(client)).toHaveLength(1);
});

test("behavior: the program carries every migration of the folder, in order", async () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  const texts = await Promise.all(files.sort().map((name) => Bun.file(join(FOLDER, name)).text()));
  expect([...migrations]).toEqual(texts);
});

test("behavior: the migrations make exactly what schema.ts says", async () => {
  const now = await generateSQLiteDrizzleJson(schema);
  const fresh = new Database(":memory:");
  const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), now);
  for (const statement of statements) fresh.run(statement);
  const migrated = new Database(":memory:");
  migrate(migrated);
  expect(structure(migrated)).toEqual(structure(fresh));

  const snapshots = readdirSync(join(FOLDER, "meta")).filter((name) => name.endsWith("json"));
  const latest = snapshots
    .filter((name) => name.includes("snapshot"))
    .sort()
    .at(-1);
  const known: DrizzleSQLiteSnapshotJSON = await Bun.file(join(FOLDER, "meta", `${latest}`)).json();
  // What `drizzle-kit generate` would write next.
  expect(await generateSQLiteMigration(known, now)).toEqual([]);
});
