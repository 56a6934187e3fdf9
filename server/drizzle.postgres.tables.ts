import { type Column, getTableColumns, is } from "drizzle-orm";
import {
  bigint,
  check,
  customType,
  foreignKey,
  type IndexColumn,
  index,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { getTableConfig, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { isCounter, kindOf, POSTGRES_TYPES } from "./src/store/database.ts";
import * as tables from "./src/store/schema.ts";

type Columns = Readonly<Record<string, PgColumn>>;

/** @returns the tables of `store/schema.ts` as drizzle-kit reads those of PostgreSQL, under the same names */
function toPostgres<Tables extends object>(all: Tables): Tables {
  const made = new Map<SQLiteTable, Columns>();
  const convert = (table: SQLiteTable) => {
    const { name, indexes, checks, primaryKeys, foreignKeys } = getTableConfig(table);
    const builders = Object.entries(getTableColumns(table)).map(([key, it]) => [
      key,
      builderOf(it),
    ]);
    const converted = pgTable(name, Object.fromEntries(builders), (own: Columns) => [
      ...indexes.map(({ config: { name, columns, unique, where } }) => {
        const on = (unique ? uniqueIndex : index)(name).on(...indexed(own, columns));
        return where ? on.where(where) : on;
      }),
      ...checks.map(({ name, value }) => check(name, value)),
      ...primaryKeys.map(({ columns }) => primaryKey({ columns: same(own, columns) })),
      ...foreignKeys.map((key) => {
        const { columns, foreignTable, foreignColumns } = key.reference();
        const theirs = made.get(foreignTable) ?? {};
        return foreignKey({
          columns: same(own, columns),
          foreignColumns: same(theirs, foreignColumns),
        });
      }),
      // By it a server finds what others have committed.
      ...(table === tables.eventCounters
        ? [index("event_counters_changed").on(...indexed(own, [tables.eventCounters.lastAt]))]
        : []),
    ]);
    made.set(table, getTableColumns(converted));
    return converted;
  };
  const entries = Object.entries(all).filter(([, table]) => is(table, SQLiteTable));
  return Object.fromEntries(entries.map(([key, table]) => [key, convert(table)])) as Tables;
}

/** @returns the columns of a table that have the names of these */
function same(table: Columns, columns: readonly unknown[]): [PgColumn] {
  const all = Object.values(table);
  const found = columns.map((column) => all.find(({ name }) => name === (column as Column).name));
  return found as [PgColumn];
}

const indexed = (table: Columns, columns: readonly unknown[]) =>
  same(table, columns) as unknown as [IndexColumn];

function builderOf(column: SQLiteColumn) {
  if (isCounter(column)) {
    const counter = bigint(column.name, { mode: "number" }).generatedByDefaultAsIdentity();
    return column.primary ? counter.primaryKey() : counter.unique();
  }
  const builder = customType({ dataType: () => POSTGRES_TYPES[kindOf(column)] })(column.name);
  // Each changes the builder itself.
  if (column.notNull) builder.notNull();
  if (column.default !== undefined) builder.default(column.default);
  if (column.isUnique) builder.unique();
  if (column.primary) builder.primaryKey();
  return builder;
}

/** The nonces that were used, until they expire; a server alone keeps them in memory. */
export const usedNonces = pgTable(
  "used_nonces",
  { id: text("id").primaryKey(), expiresAt: bigint("expires_at", { mode: "number" }).notNull() },
  (table) => [index("used_nonces_expired").on(table.expiresAt)],
);

// drizzle-kit sees only what has a name of its own.
export const {
  poolTerms,
  launches,
  dailyLaunches,
  tokens,
  markets,
  prices,
  feeThresholds,
  leases,
  prepared,
  payouts,
  images,
  events,
  eventCounters,
  webhooks,
  webhookDeliveries,
  spending,
  serviceTime,
  chainBinding,
  collections,
  poolMigrations,
  agentRules,
  invites,
  launchStarts,
  launchAttempts,
  steering,
  audit,
  consoleLinks,
  servers,
} = toPostgres(tables);
