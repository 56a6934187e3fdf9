import { sql } from "drizzle-orm";
import type { EventType } from "../../domain/event-type.ts";
import type { EventRow } from "../events.ts";
import { eventCounters, events } from "../schema.ts";
import type { Database } from "./database.ts";

/** What an event is about. */
export type EventSubject = Omit<EventRow, "id" | "type" | "createdAt">;

/**
 * Adds events of one wallet, in this order.
 *
 * @param tx the transaction of the change that they tell
 */
export function addEvents(
  tx: Pick<Database, "insert">,
  wallet: string,
  type: EventType,
  at: number,
  subjects: readonly EventSubject[],
): void {
  const { length } = subjects;
  if (length === 0) return;
  const { last, createdAt } = tx
    .insert(eventCounters)
    .values({ wallet, lastId: length, lastAt: at })
    .onConflictDoUpdate({
      target: eventCounters.wallet,
      set: { lastId: sql`last_id + ${length}`, lastAt: sql`max(last_at, ${at})` },
    })
    .returning({ last: eventCounters.lastId, createdAt: eventCounters.lastAt })
    .get();
  const first = last - length + 1;
  for (const [index, subject] of subjects.entries()) {
    tx.insert(events)
      .values({ ...subject, wallet, id: first + index, type, createdAt })
      .run();
  }
}
