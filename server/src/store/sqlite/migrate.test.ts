import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { tempDir } from "../../testing/temp-dir.ts";
import { openDatabase } from "./database.ts";
import { migrate, migrations } from "./migrate.ts";
import * as schema from "./schema.ts";

const FOLDER = join(import.meta.dir, "migrations");

function version(client: Database): number {
  return (client.query("pragma user_version").get() as { user_version: number }).user_version;
}

/** The SQL of every table and index of a database. */
function structure(client: Database) {
  return (
    client
      .query<{ name: string; sql: string | null }, []>(
        "select type, name, tbl_name, sql from sqlite_schema order by type, name",
      )
      .all()
      // SQLite writes a column that was added later on the line of the one before it.
      .map((thing) => ({
        ...thing,
        sql: thing.sql?.replaceAll(/\s+/g, " ").replaceAll(" ,", ",").replaceAll(" )", ")"),
      }))
  );
}

type Row = Record<string, unknown>;

function rowsOf(client: Database) {
  const all = (table: string) => client.query<Row, []>(`select * from ${table}`).all();
  return { launches: all("launches"), tokens: all("tokens"), claims: all("claims") };
}

test("a new database gets every migration once", () => {
  const client = new Database(":memory:");
  migrate(client);
  expect(version(client)).toBe(migrations.length);
  const made = structure(client);
  migrate(client);
  expect(structure(client)).toEqual(made);
});

test("a database keeps its rows when it is opened again", () => {
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

test("a database of version 1 keeps its rows, and only those in progress keep signed bytes", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const old = new Database(path);
  for (const statement of String(migrations[0]).split("--> statement-breakpoint")) {
    old.run(statement);
  }
  old.run("pragma user_version = 1");
  const statuses = ["pending", "success", "failed", "rate_limited"];
  for (const [n, status] of statuses.entries()) {
    old.run(
      `insert into launches (event_id, wallet, name, ticker, status, created_at, run_at, signature,
         "transaction") values (?, ?, 'A token', ?, ?, 5, 5, 'signature', x'010203')`,
      [status, `wallet ${n % 2}`, `T${n}`, status],
    );
  }
  old.run(
    `insert into tokens (token_mint, pool_address, event_id, wallet, ticker, name, deployed_at)
     values ('mint', 'pool', 'success', 'wallet 1', 'T1', 'A token', 6)`,
  );
  for (const status of ["prepared", "submitted", "confirmed"]) {
    old.run(
      `insert into claims (wallet, token_mint, message_hash, status, last_valid_block_height,
         prepared_at, expires_at, signature, "transaction")
       values ('wallet 1', 'mint', ?, ?, 9, 5, 6, 'signature', x'0102')`,
      [status, status],
    );
  }
  const before = rowsOf(old);
  old.close();

  const { $client: migrated } = openDatabase(path);
  expect(version(migrated)).toBe(migrations.length);
  const dropped = (row: Row, isOpen: boolean) => ({
    ...row,
    transaction: isOpen ? row.transaction : null,
  });
  const after = rowsOf(migrated);
  expect(after).toEqual({
    launches: before.launches.map((row) => ({
      ...dropped(row, row.status === "pending"),
      ticker_released: 0,
      address: null,
      reserved_lamports: null,
      reserved_day: null,
      website: null,
      twitter: null,
      telegram: null,
      pool_terms: null,
      image_hash: null,
      waiting_for: null,
      waiting_since: null,
      on_chain_name: null,
      network: null,
      queued_at: 0,
    })),
    tokens: before.tokens.map((row) => ({ ...row, migrated_at: null, fees_told_at: null })),
    claims: before.claims.map((row) => ({
      ...dropped(row, row.status !== "confirmed"),
      lease_id: null,
      lease_until: null,
      other_mints: "[]",
      sponsored_day: null,
      // Its place in the history.
      paid_seq: row.status === "confirmed" ? row.id : null,
    })),
  });
  const again = () =>
    migrated.run(
      `insert into launches (event_id, wallet, name, ticker, created_at, run_at)
       values ('again', 'wallet 0', 'A token', 'T1', 7, 7)`,
    );
  expect(again).toThrow("UNIQUE constraint failed: launches.ticker");
  migrated.close();
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
  // The last table of the first migration is there already.
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
  for (const statement of statements) fresh.run(statement);
  const migrated = new Database(":memory:");
  migrate(migrated);
  // drizzle knows no triggers.
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
  // What `drizzle-kit generate` would write next.
  expect(await generateSQLiteMigration(known, now)).toEqual([]);
});
