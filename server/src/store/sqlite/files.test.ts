import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../../testing/temp-dir.ts";
import { findDamage } from "./files.ts";

const PAGE_BYTES = 4_096;

test("a database is whole until one of its pages is damaged", () => {
  using dir = tempDir();
  const path = join(dir.path, "rows.sqlite");
  using db = new Database(path);
  db.run("create table rows (text)");
  const fifty = JSON.stringify(Array(50).fill(0));
  db.run("insert into rows select hex(randomblob(500)) from json_each(?)", [fifty]);
  expect(findDamage(path)).toEqual([]);
  const bytes = readFileSync(path);
  // The first cell pointers of page 5.
  bytes.fill(0xff, 4 * PAGE_BYTES + 8, 4 * PAGE_BYTES + 12);
  writeFileSync(path, bytes);
  const damage = findDamage(path);
  expect(damage.length).toBeWithin(1, 6);
  expect(damage.join()).toContain("page 5");
});
