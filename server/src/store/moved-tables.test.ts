import { expect, test } from "bun:test";
import { MOVED_TABLES, type MovedRow } from "./moved-tables.ts";
import { TableDigest } from "./table-digest.ts";

test("a table is moved in the order of its key, with its counter, without leases, parents first", () => {
  const family = ["launches", "tokens", "claims", "payouts"];
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
      transaction: "bytes",
      last_valid_block_height: "integer",
      reserved_lamports: "lamports",
      reserved_day: "text",
      done_at: "integer",
      error: "text",
    },
    order: ["token_mint"],
    counter: null,
    rowsAtOnce: 1_000,
  });
  const ordered = MOVED_TABLES.map(({ name, order, counter }) => [name, order, counter]);
  expect(ordered).toContainEqual(["launches", ["seq"], "seq"]);
  expect(ordered).toContainEqual(["events", ["wallet", "id"], null]);
  expect(ordered).toContainEqual(["steering", ["id"], null]);
});

test("a checksum differs if a value, a type, a null or the order does", () => {
  const checksum = (...rows: MovedRow[]) => {
    const digest = new TableDigest();
    for (const row of rows) digest.add(row);
    return digest.checksum();
  };
  const all = [
    checksum(["1", null]),
    checksum([1n, null]),
    checksum([Uint8Array.of(1), null]),
    checksum([null, "1"]),
    checksum(["1", "null"]),
    checksum(["1", ""]),
    checksum(["1"], [null]),
    checksum(["x01", null]),
    checksum([2n ** 64n], [1n]),
    checksum([1n], [2n ** 64n]),
    checksum(),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(checksum(["1", null])).toBe(all[0] ?? "");
});
