import { expect, test } from "bun:test";
import { MOVED_TABLES, type MovedRow, summaryOf } from "./moved-tables.ts";

test("a table is moved in the order of its key, with its counter, without leases, parents first", () => {
  const family = ["launches", "tokens", "prepared", "payouts"];
  const names = MOVED_TABLES.map(({ name }) => name);
  expect(names.filter((name) => family.includes(name))).toEqual(family);
  expect(new Set(names).size).toBe(names.length);
  const migrations = MOVED_TABLES.find(({ name }) => name === "pool_migrations");
  expect(migrations).toEqual({
    name: "pool_migrations",
    columns: {
      token_mint: "text",
      status: "text",
      run_at: "integer",
      attempts: "integer",
      signature: "text",
      transaction: "blob",
      last_valid_block_height: "integer",
      reserved_lamports: "lamports_text",
      reserved_day: "text",
      tip_lamports: "lamports_text",
    },
    order: ["token_mint"],
    counter: null,
    rowsAtOnce: 1_000,
  });
  const ordered = MOVED_TABLES.map(({ name, order, counter }) => [name, order, counter]);
  expect(ordered).toContainEqual(["launches", ["seq"], "seq"]);
  expect(ordered).toContainEqual(["event_counters", ["wallet"], null]);
  expect(ordered).toContainEqual(["steering", ["id"], null]);
});

test("a checksum differs if a value, a null or the order does", async () => {
  const checksum = async (...rows: MovedRow[]) => (await summaryOf(rows, null)).checksum;
  const all = await Promise.all([
    checksum(["1", null]),
    checksum([null, "1"]),
    checksum(["1", "null"]),
    checksum(["1", ""]),
    checksum(["1"], [null]),
    checksum(["\\x01", null]),
    checksum(["2"], ["1"]),
    checksum(["1"], ["2"]),
    checksum(),
  ]);
  expect(new Set(all).size).toBe(all.length);
  expect(await checksum(["1", null])).toBe(all[0] ?? "");
});
