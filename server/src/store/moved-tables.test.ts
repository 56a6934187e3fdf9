import { expect, test } from "bun:test";
import { PgTable, getTableConfig as postgresTable } from "drizzle-orm/pg-core";
import { SQLiteTable, getTableConfig as sqliteTable } from "drizzle-orm/sqlite-core";
import { MOVED_TABLES, type MovedRow } from "./moved-tables.ts";
import * as postgres from "./postgres/schema.ts";
import * as sqlite from "./sqlite/schema.ts";
import { TableDigest } from "./table-digest.ts";

/** Left out on purpose: leases and reports end with the servers, and SQLite's nonces are in memory. */
const LEFT_OUT = ["lease_id", "lease_until"];
const NOT_MOVED = ["used_nonces", "chain_binding", "leases", "servers"];

const moved = Object.fromEntries(
  MOVED_TABLES.map(({ name, columns }) => [name, Object.keys(columns).sort()]),
);

type Table = { name: string; columns: readonly { name: string }[] };

function columnsOf(tables: readonly Table[], ownColumns: readonly string[] = []) {
  return Object.fromEntries(
    tables
      .filter(({ name }) => !NOT_MOVED.includes(name))
      .map(({ name, columns }) => {
        const own = name === "launches" ? ownColumns : [];
        const names = [...columns.map((column) => column.name), ...own];
        return [name, names.filter((column) => !LEFT_OUT.includes(column)).sort()];
      }),
  );
}

test("every column of both engines is moved, except leases", () => {
  const inPostgres = Object.values(postgres).filter((table) => table instanceof PgTable);
  expect(columnsOf(inPostgres.map(postgresTable))).toEqual(moved);
  const inSqlite = Object.values(sqlite).filter((table) => table instanceof SQLiteTable);
  // SQLite's order of launches is that of their row ids.
  expect(columnsOf(inSqlite.map(sqliteTable), ["seq"])).toEqual(moved);
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
