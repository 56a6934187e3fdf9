import { Database as SqliteDatabase } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../../testing/temp-dir.ts";
import { openDatabase } from "./store.ts";

test.each([
  ["journal_mode", "wal"],
  // 2 is FULL.
  ["synchronous", 2],
  ["busy_timeout", 100],
  ["foreign_keys", 1],
  ["cache_size", -65_536],
])("the pragma %s is %p", (pragma, value) => {
  using directory = tempDir();
  const db = openDatabase(join(directory.path, "tokend.sqlite"));
  const row = db.query(`pragma ${pragma}`).values()[0];
  expect(row).toEqual([value]);
  db.close();
});

test("a reader does not wait for a writer", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const db = openDatabase(path);
  const writer = new SqliteDatabase(path);
  writer.run("begin immediate");
  writer.run("insert into spending values ('2026-03-01', '1')");
  expect(db.query("select * from spending").all()).toEqual([]);
  writer.run("commit");
  expect(db.query("select * from spending").all()).toHaveLength(1);
  writer.close();
  db.close();
});

test("the database itself refuses an unknown status and a token without a launch", () => {
  const db = openDatabase(":memory:");
  const insert = (status: string) =>
    db.run(
      `insert into launches (event_id, wallet, name, ticker, status, created_at, run_at)
        values (?1, 'w', 'n', ?1, ?1, 0, 0)`,
      [status],
    );
  insert("pending");
  expect(() => insert("done")).toThrow("CHECK");
  expect(() =>
    db.run(
      `insert into tokens (id, token_mint, pool_address, launch_seq, wallet, ticker, name, deployed_at)
        values (1, 'm', 'p', 99, 'w', 't', 'n', 0)`,
    ),
  ).toThrow("FOREIGN KEY");
  db.close();
});

test("a path at which no file can be created is an error, not a database in memory", () => {
  using directory = tempDir();
  const path = join(directory.path, "missing", "tokend.sqlite");
  expect(() => openDatabase(path)).toThrow();
  expect(existsSync(path)).toBe(false);
});
