import { Database as Client } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { nextTurn } from "../../base/clock.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import type { Session } from "../database.ts";
import { SqliteDatabase } from "./database.ts";
import { findDamage } from "./files.ts";
import { openDatabase } from "./store.ts";

const PAGE_BYTES = 4_096;

let directory: ReturnType<typeof tempDir>;
let path: string;
let db: SqliteDatabase;

const open = () => new SqliteDatabase(openDatabase(path), new ManualClock(0));

beforeEach(() => {
  directory = tempDir();
  path = join(directory.path, "tokend.sqlite");
  db = open();
});

afterEach(async () => {
  await db.close();
  directory[Symbol.dispose]();
});

const days = async () =>
  (await db.read((session) => session.all<{ day: string }>(sql`select day from spending`))).map(
    ({ day }) => day,
  );
const add = (session: Session, day: string) =>
  session.run(sql`insert into spending (day, lamports) values (${day}, '1')`);

test("a transaction that throws leaves nothing", async () => {
  const failed = db.transaction(async (transaction) => {
    await add(transaction, "one");
    await add(transaction, "one");
  });
  expect(failed).rejects.toThrow("UNIQUE");
  expect(await days()).toEqual([]);
});

test("whatever reads or writes waits for an open transaction, in order", async () => {
  const other = open();
  const seen: number[] = [];
  const write = (name: string) => async (session: Session) => {
    await add(session, name);
    for (let n = 0; n < 20; n++) await session.get(sql`select 1`);
  };
  const look = async () => void seen.push((await days()).length);
  await Promise.all([
    db.transaction(write("one")),
    look(),
    other.write(write("two")),
    db.transaction(write("three")),
    look(),
  ]);
  expect(seen).toEqual([1, 3]);
  await other.close();
});

test("reads see their own writes, and in the next turn those of other programs", async () => {
  using program = new Client(path);
  expect(await days()).toEqual([]);
  await db.write((session) => add(session, "own"));
  expect(await days()).toEqual(["own"]);
  program.run("insert into spending (day, lamports) values ('their', '1')");
  await nextTurn();
  expect(await days()).toEqual(["own", "their"]);
});

test("a closed database does nothing more, not even by what was prepared before", async () => {
  await db.transaction((transaction) => add(transaction, "one"));
  await db.close();
  expect(db.transaction((transaction) => add(transaction, "two"))).rejects.toThrow("closed");
  expect(days()).rejects.toThrow("closed");
  db = new SqliteDatabase(new Client(":memory:"), new ManualClock(0));
});

test("a statement that lacks a value fails instead of storing null", () => {
  const statement = () =>
    sql`insert into spending (day, lamports) values (${sql.placeholder("day")}, '1')`;
  expect(db.write((session) => session.run(statement))).rejects.toThrow("no value for day");
});

test("a violated index is known by its name", async () => {
  const insert = (id: string) =>
    db.write((session) =>
      session.run(sql`insert into launches (event_id, wallet, name, ticker, created_at, run_at)
        values (${id}, 'w', 'n', 'T', 0, 0)`),
    );
  await insert("one");
  const error = await insert("two").catch((cause) => cause);
  expect(db.violates(error, "launches_ticker")).toBe(true);
  expect(db.violates(error, "launches_leased")).toBe(false);
});

test("a commit is on the disk before it is answered, and other processes that read wait for no writer", () => {
  const client = openDatabase(path);
  const pragmas = ["journal_mode", "synchronous", "busy_timeout", "foreign_keys", "cache_size"];
  // A `synchronous` of 2 is FULL.
  expect(pragmas.map((name) => client.query(`pragma ${name}`).values()[0]?.[0])).toEqual([
    ...["wal", 2, 100, 1, -65_536],
  ]);
  client.close();
});

test("the database itself refuses a token without a launch", () => {
  const client = openDatabase(":memory:");
  expect(() =>
    client.run(
      `insert into tokens (id, token_mint, pool_address, launch_seq, wallet, ticker, name, deployed_at)
        values (1, 'm', 'p', 99, 'w', 't', 'n', 0)`,
    ),
  ).toThrow("FOREIGN KEY");
  client.close();
});

test("a path at which no file can be created is an error, not a database in memory", () => {
  const missing = join(directory.path, "missing", "tokend.sqlite");
  expect(() => openDatabase(missing)).toThrow();
  expect(existsSync(missing)).toBe(false);
});

test("a database is whole until one of its pages is damaged", () => {
  const damaged = join(directory.path, "rows.sqlite");
  using client = new Client(damaged);
  client.run("create table rows (text)");
  const fifty = JSON.stringify(Array(50).fill(0));
  client.run("insert into rows select hex(randomblob(500)) from json_each(?)", [fifty]);
  expect(findDamage(damaged)).toEqual([]);
  const bytes = readFileSync(damaged);
  // The first cell pointers of page 5.
  bytes.fill(0xff, 4 * PAGE_BYTES + 8, 4 * PAGE_BYTES + 12);
  writeFileSync(damaged, bytes);
  const damage = findDamage(damaged);
  expect(damage.length).toBeWithin(1, 6);
  expect(damage.join()).toContain("page 5");
});
