import type { InferSelectModel, SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Session } from "./database.ts";

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

/** Reads the first of the rows; null if there is none. */
export async function rowOf<Table extends SQLiteTable>(
  session: Session,
  table: Table,
  rest: SQL,
): Promise<InferSelectModel<Table> | null> {
  return (await rowsOf(session, table, rest))[0] ?? null;
}
