import { createHash } from "node:crypto";
import { getTableColumns, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type ColumnType, isCounter, typeOf } from "./database.ts";
import * as schema from "./schema.ts";

export interface MovedTable {
  readonly name: string;
  /** What they hold by name, in the order of the values of a row. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** A row's place among all; unique. */
  readonly order: readonly string[];
  readonly counter: string | null;
  readonly rowsAtOnce: number;
}

/** A row's values as PostgreSQL writes them as text, bytes in hex after `\x`, in the order of its table's columns. */
export type MovedRow = readonly (string | null)[];

/** Leases, reports and links end with the service that is moved. */
const LEFT_OUT: readonly SQLiteTable[] = [schema.leases, schema.servers, schema.consoleLinks];
const LEASE = ["lease_id", "lease_until"];

/** Each after those that it refers to. */
export const MOVED_TABLES: readonly MovedTable[] = [
  ...new Set(
    Object.values(schema)
      .filter((table) => is(table, SQLiteTable))
      .flatMap(withParents),
  ),
]
  .filter((table) => !LEFT_OUT.includes(table))
  .map(toMoved);

function withParents(table: SQLiteTable): SQLiteTable[] {
  const parents = getTableConfig(table).foreignKeys.map((key) => key.reference().foreignTable);
  return [...parents.flatMap(withParents), table];
}

function toMoved(table: SQLiteTable): MovedTable {
  const { name, primaryKeys } = getTableConfig(table);
  const columns = Object.values(getTableColumns(table)).filter(({ name }) => !LEASE.includes(name));
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return {
    name,
    columns: Object.fromEntries(columns.map((it) => [it.name, typeOf(it)])),
    order: key.map((column) => column.name),
    counter: columns.find(isCounter)?.name ?? null,
    // Images have up to 2 MiB each.
    rowsAtOnce: table === schema.images ? 8 : 1_000,
  };
}

/** What a table holds, in a form that every engine computes from its own rows. */
export interface TableSummary {
  readonly rows: number;
  /** SHA-256 of all values in the order of the rows, in hex. */
  readonly checksum: string;
  /** The last number that the counter has given out; null if there is none. */
  readonly counter: string | null;
}

export async function summaryOf(
  all: Iterable<MovedRow> | AsyncIterable<MovedRow>,
  counter: string | null,
): Promise<TableSummary> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const row of all) {
    // As JSON, so that a value cannot look like two.
    hash.update(`${JSON.stringify(row)}\n`);
    rows++;
  }
  return { rows, checksum: hash.digest("hex"), counter };
}
