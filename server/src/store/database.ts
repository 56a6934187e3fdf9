import { type InferSelectModel, is, Placeholder, type SQL, sql } from "drizzle-orm";
import {
  type BaseSQLiteDatabase,
  customType,
  type SQLiteColumn,
  type SQLiteTable,
} from "drizzle-orm/sqlite-core";
import type { LeaseTerms } from "../base/lease.ts";
import type { SignedTransaction } from "../domain/journal.ts";

/** What the engines say differently in SQL. Casts are `cast(… as …)`, which both understand. */
export interface Dialect {
  readonly engine: "sqlite" | "postgres";
  /** The database's time in milliseconds since the Unix epoch, and the present UTC day. */
  readonly now: SQL<number>;
  readonly today: SQL<string>;
  readonly greatest: SQL;
  readonly least: SQL;
  /** The functions that make an object and a list, and that take a list apart to rows with a `value`. */
  readonly json: { readonly object: SQL; readonly list: SQL; readonly each: SQL };
  /** Locks rows that are read, for example by `for update skip locked`. Empty on SQLite: it has one writer. */
  locking(clause: string): SQL;
}

/** What a driver takes as a value; both return integers as numbers and bytes as an array. */
type Value = string | number | bigint | boolean | Uint8Array | null;

/** A hot statement, prepared once for each connection. Its values stand in it as `sql.placeholder(name)`. */
export type Statement<Row> = (dialect: Dialect) => SQL<Row>;

export interface Session extends Dialect {
  /** drizzle's builders, as far as both engines have them: no `for`, and only awaited. */
  readonly orm: BaseSQLiteDatabase<"async", unknown>;
  all<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row[]>;
  get<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row | null>;
  /** @returns how many rows it changed */
  run(query: SQL | Statement<unknown>, values?: Values): Promise<number>;
}

/** A list of values is for PostgreSQL alone. */
export type Values = Readonly<Record<string, Value | readonly Value[]>>;

/** @returns what fills in the parameters of a compiled statement, given how to find a value by its name */
export function binder(params: readonly unknown[]): (find: (name: string) => unknown) => unknown[] {
  const names = params.map((param) => (is(param, Placeholder) ? param.name : null));
  return (find) => names.map((name, index) => (name === null ? params[index] : find(name)));
}

export interface Locks {
  readonly names: readonly string[];
  /** Taken before the others; several transactions hold a shared one. */
  readonly first?: string;
  readonly isFirstShared?: boolean;
}

export interface Transaction extends Session {
  /** Waits for this lock, which ends with the transaction. Nothing on SQLite. */
  lock(name: string): Promise<void>;
}

export interface Database {
  /** Whether other servers may work on it at the same time. */
  readonly isShared: boolean;

  read<T>(work: (session: Session) => Promise<T>): Promise<T>;

  write<T>(work: (session: Session) => Promise<T>): Promise<T>;

  /** @returns whether the transaction that ended with this error may have been stored */
  isCommitUnknown(error: unknown): boolean;

  /**
   * Writes all or nothing. Each statement sees what was committed before it. Awaits nothing but its own
   * session, as `own-session.grit` checks: on SQLite everything that writes waits for its end. @param locks to
   * take first, in an order that cannot block another server; none on SQLite
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    locks?: Locks | readonly string[],
  ): Promise<T>;

  violates(error: unknown, index: string): boolean;
}

/** Names columns by their fields, for `select` and `returning` in SQL. Values come as the driver reads them. */
export function columns(of: Readonly<Record<string, SQLiteColumn>>): SQL {
  const named = Object.entries(of).map(([field, { name }]) => `"${name}" as "${field}"`);
  return sql.raw(named.join(", "));
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

/** @returns null if none is signed */
export function signedOf({
  signature,
  transaction,
  lastValidBlockHeight,
}: { readonly [Field in keyof SignedTransaction]: SignedTransaction[Field] | null }) {
  return signature !== null && transaction !== null && lastValidBlockHeight !== null
    ? { signature, transaction, lastValidBlockHeight }
    : null;
}

/** Reads whole rows. @param rest what follows `where`, for example `wallet = … order by id limit 9` */
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

export async function rowOf<Table extends SQLiteTable>(
  session: Session,
  table: Table,
  rest: SQL,
): Promise<InferSelectModel<Table> | null> {
  return (await rowsOf(session, table, rest))[0] ?? null;
}

/**
 * No claim or migration is leased for longer, in milliseconds. If one seems to be, the clock has stepped back,
 * and the lease counts as run out.
 */
const LONGEST_LEASE_MS = 120_000;

export const NO_LEASE = { leaseId: null, leaseUntil: null };

export function held({ now }: Dialect, { id, ms }: LeaseTerms) {
  return { leaseId: id, leaseUntil: sql`${now} + ${ms}` };
}

export function isFree({ now }: Dialect): SQL {
  return sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now} + ${LONGEST_LEASE_MS})`;
}

/** Nothing on a shared database: the leases of other servers run out. */
export async function freeLeases(db: Database, table: SQLiteTable): Promise<void> {
  if (db.isShared) return;
  const free = sql`update ${table} set lease_id = null where lease_id is not null`;
  await db.write((session) => session.run(free));
}

/**
 * Lamports as decimal text: SQLite's driver reads integers as doubles, exact only up to 2⁵³. To SQLite the
 * type is a text, as each with that word; PostgreSQL has numbers of any size.
 */
export const lamports = customType<{ data: bigint; driverData: string }>({
  dataType: () => "lamports_text",
  toDriver: (value) => value.toString(),
  fromDriver: (value) => BigInt(value),
});

/** PostgreSQL's type for each of `schema.ts`. Not `bigint` for lamports: it ends at 2⁶³, and they are unsigned. */
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
