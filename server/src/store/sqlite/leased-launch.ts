import { sql } from "drizzle-orm";
import { launches } from "../schema.ts";
import type { Database } from "./database.ts";

/**
 * Changes a pending launch, if this lease still holds it.
 *
 * @param db the database, or a transaction on it
 * @returns false if another worker holds the launch, or it has ended
 */
export function updateLeased(
  db: Pick<Database, "update">,
  eventId: string,
  leaseId: string,
  columns: Parameters<ReturnType<typeof db.update<typeof launches>>["set"]>[0],
): boolean {
  const row = db
    .update(launches)
    .set(columns)
    .where(sql`event_id = ${eventId} and lease_id = ${leaseId} and status = 'pending'`)
    .returning({ eventId: launches.eventId })
    .get();
  return row !== undefined;
}
