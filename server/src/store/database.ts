import { type InferSelectModel, is, Placeholder, type SQL, sql } from "drizzle-orm";
import {
  type BaseSQLiteDatabase,
  customType,
  type SQLiteColumn,
  type SQLiteTable,
} from "drizzle-orm/sqlite-core";
import type { LeaseTerms } from "../base/clock.ts";
import type { SignedTransaction } from "../domain/journal.ts";

/** The SQL that differs between the engines. Casts are `cast(… as …)`, which both understand. */
export interface Dialect {
  readonly engine: "sqlite" | "postgres";
  /** The database's time in milliseconds since the Unix epoch, and its UTC day. */
  readonly now: SQL<number>;
  readonly today: SQL<string>;
  readonly greatest: SQL;
  /** Functions that build an object, build a list, and expand a list into rows with a `value`. */
  readonly json: { readonly object: SQL; readonly list: SQL; readonly each: SQL };
  /** Locks the rows that are read, for example `for update skip locked`. Empty on SQLite. */
  locking(clause: string): SQL;
}

/** A value that both drivers accept. They return integers as numbers and bytes as an array. */
type Value = string | number | bigint | boolean | Uint8Array | null;

/** A hot statement, prepared once for each connection. Its values are `sql.placeholder(name)`. */
export type Statement<Row> = (dialect: Dialect) => SQL<Row>;

export interface Session extends Dialect {
  /** The builders of drizzle that both engines have: no `for`. A query runs only when awaited. */
  readonly orm: BaseSQLiteDatabase<"async", unknown>;
  all<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row[]>;
  get<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row | null>;
  /** Returns how many rows it changed. */
  run(query: SQL | Statement<unknown>, values?: Values): Promise<number>;
}

/** Only PostgreSQL accepts a list of values. */
export type Values = Readonly<Record<string, Value | readonly Value[]>>;

/** Returns a function that fills in a compiled statement's parameters, given a lookup by name. */
export function binder(params: readonly unknown[]): (find: (name: string) => unknown) => unknown[] {
  const names = params.map((param) => (is(param, Placeholder) ? param.name : null));
  return (find) => names.map((name, index) => (name === null ? params[index] : find(name)));
}

export type Transaction = Session;

export interface Database {
  /** Whether other servers may use it at the same time. */
  readonly isShared: boolean;

  read<T>(work: (session: Session) => Promise<T>): Promise<T>;

  write<T>(work: (session: Session) => Promise<T>): Promise<T>;

  /** Returns whether the transaction that ended with this error may have been committed. */
  isCommitUnknown(error: unknown): boolean;

  /**
   * Commits all writes or none. Each statement sees what was committed before it. `work` awaits
   * only its own session, as `own-session.grit` checks: all writers of SQLite wait for it.
   * @param locks taken first, in an order that cannot deadlock with another server; ignored on
   * SQLite
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    locks?: readonly string[],
  ): Promise<T>;

  violates(error: unknown, index: string): boolean;
}

export function rowIn<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("the statement returns a row");
  return row;
}

const ROWS_AT_ONCE = 1_000;

export function* chunks<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE)
    yield all.slice(from, from + ROWS_AT_ONCE);
}

export function lamportsOf(stored: string | null): bigint | null {
  return stored === null ? null : BigInt(stored);
}

export function signedOf({
  signature,
  transaction,
  lastValidBlockHeight,
}: { readonly [Field in keyof SignedTransaction]: SignedTransaction[Field] | null }) {
  return signature !== null && transaction !== null && lastValidBlockHeight !== null
    ? { signature, transaction, lastValidBlockHeight }
    : null;
}

/** Reads whole rows. @param rest follows `where`, for example `wallet = … order by id limit 9` */
export async function rowsOf<Table extends SQLiteTable>(
  { orm }: Session,
  table: Table,
  rest: SQL,
): Promise<InferSelectModel<Table>[]> {
  const rows = await orm
    .select()
    .from(table as SQLiteTable)
    .where(rest);
  return rows as InferSelectModel<Table>[];
}

export async function rowOf<Table extends SQLiteTable>(session: Session, table: Table, rest: SQL) {
  return (await rowsOf(session, table, rest))[0] ?? null;
}

export const NO_LEASE = { leaseId: null, leaseUntil: null };

export function held({ now }: Dialect, { id, ms }: LeaseTerms) {
  return { leaseId: id, leaseUntil: sql`${now} + ${ms}` };
}

/** No lease of a row is longer than two minutes. */
export const isFree = (dialect: Dialect) =>
  sql`(lease_id is null or ${isOver(dialect, sql`lease_until`, 120_000)})`;

/** If a time is further away than it can have been set, the clock was set back since. */
export function isOver({ now }: Dialect, time: SQL, longestMs: number): SQL {
  return sql`${time} not between ${now} + 1 and ${now} + ${longestMs}`;
}

/** Frees all leases after a restart. Does nothing on a shared database: its leases expire. */
export async function freeLeases(db: Database, table: SQLiteTable): Promise<void> {
  if (db.isShared) return;
  const free = sql`update ${table} set lease_id = null where lease_id is not null`;
  await db.write((session) => session.run(free));
}

/**
 * Lamports as decimal text: SQLite's driver reads integers as doubles, exact only up to 2⁵³. SQLite
 * treats a type with `text` in its name as text; PostgreSQL's numbers have any size.
 */
export const lamports = customType<{ data: bigint; driverData: string }>({
  dataType: () => "lamports_text",
  toDriver: (value) => value.toString(),
  fromDriver: (value) => BigInt(value),
});

/** PostgreSQL's type for each of `schema.ts`. Lamports are unsigned: `bigint` ends at 2⁶³. */
export const POSTGRES_TYPES = {
  text: "text",
  integer: "bigint",
  lamports_text: "numeric",
  blob: "bytea",
} as const;
export type ColumnType = keyof typeof POSTGRES_TYPES;

export function typeOf(column: SQLiteColumn): ColumnType {
  return column.getSQLType() as ColumnType;
}

export function isCounter(column: SQLiteColumn): boolean {
  const isUnique = column.primary || column.isUnique;
  return isUnique && typeOf(column) === "integer" && column.default === undefined;
}
