import { getTableColumns, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type ColumnType, isCounter, typeOf } from "./database.ts";
import * as schema from "./schema.ts";

export interface MovedTable {
  readonly name: string;
  /** Their types by name, in the order of a row's values. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns that the rows are ordered by; unique together. */
  readonly order: readonly string[];
  readonly counter: string | null;
  readonly rowsAtOnce: number;
}

/** A row's values in its table's order, as PostgreSQL writes them: bytes in hex after `\x`. */
export type MovedRow = readonly (string | null)[];

/** Not moved: leases and server reports end with the old service. */
const LEFT_OUT: readonly SQLiteTable[] = [schema.leases, schema.servers];
const LEASE = ["lease_id", "lease_until"];

/** Each table comes after the tables that it refers to. */
export const MOVED_TABLES: readonly MovedTable[] = Array.from(
  new Set(
    Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? withParents(table) : [])),
  ),
)
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
    // An image has up to 2 MiB.
    rowsAtOnce: table === schema.images ? 8 : 1_000,
  };
}
