import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** What a column holds. `lamports` are whole numbers of any size. */
export type ValueKind = "text" | "integer" | "lamports" | "bytes";

export const POSTGRES_TYPES: Readonly<Record<ValueKind, string>> = {
  text: "text",
  integer: "bigint",
  // Not `bigint`, which ends at 2⁶³: they are unsigned.
  lamports: "numeric",
  bytes: "bytea",
};

export function kindOf(column: SQLiteColumn): ValueKind {
  const type = column.getSQLType();
  if (type !== "text") return type === "blob" ? "bytes" : "integer";
  // Lamports are texts on SQLite, and the only ones that are read as `bigint`.
  return column.mapFromDriverValue("0") === 0n ? "lamports" : "text";
}

/** Whether a column numbers its table's rows. */
export function isCounter(column: SQLiteColumn): boolean {
  const isUnique = column.primary || column.isUnique;
  return isUnique && column.getSQLType() === "integer" && column.default === undefined;
}
