import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { LeaseTerms } from "../domain/lease.ts";
import type { Database, Dialect } from "./database.ts";

/**
 * No claim or migration is leased for longer than this, in milliseconds. If one seems to be, the clock
 * has stepped back since, and the lease counts as run out.
 */
const LONGEST_LEASE_MS = 120_000;

export const NO_LEASE = { leaseId: null, leaseUntil: null };

/** What a row that is leased from now on stores. */
export function held({ now }: Dialect, { id, ms }: LeaseTerms) {
  return { leaseId: id, leaseUntil: sql`${now} + ${ms}` };
}

/** Whether no server holds a row. */
export function isFree({ now }: Dialect): SQL {
  return sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now} + ${LONGEST_LEASE_MS})`;
}

/** Frees all leases of an earlier process. Nothing on a shared database: those of other servers run out. */
export async function freeLeases(db: Database, table: SQLiteTable): Promise<void> {
  if (db.isShared) return;
  const free = sql`update ${table} set lease_id = null where lease_id is not null`;
  await db.write((session) => session.run(free));
}
