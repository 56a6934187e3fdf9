import { and, eq, isNull, lte, ne, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { LeaseTerms } from "../domain/lease.ts";
import type { Database, Session, Transaction } from "./database.ts";
import { freeLeases, held } from "./leases.ts";
import { webhookDeliveries, webhooks } from "./schema.ts";
import {
  type AttemptOutcome,
  DELIVERY_LOG,
  type DeliveryRow,
  type DueWebhooks,
  type LeasedDelivery,
  LONGEST_PAUSE_MS,
  type WebhookRow,
} from "./webhook-row.ts";

/** The attempts to send what waits. */
export class WebhookAttempts {
  constructor(protected readonly db: Database) {}

  /** Begins the next attempt of webhooks that are due; those first that were tried longest ago. */
  async lease(lease: LeaseTerms, due: DueWebhooks): Promise<LeasedDelivery[]> {
    // Most changes are of wallets without a webhook, and a write waits for the disk.
    if ((await this.db.read((session) => findDue(session, lease, due))).length === 0) return [];
    return await this.db.transaction(async (session) => {
      const { orm, now } = session;
      const leased: LeasedDelivery[] = [];
      const locking = session.locking("for update of webhooks skip locked");
      for (const found of await findDue(session, lease, due, locking)) {
        if (!due.admits(found)) continue;
        const number = await nextDelivery(session, found, kindOf(due));
        if (number === null) continue;
        const [delivery] = await orm
          .update(webhookDeliveries)
          .set({ attempts: sql`attempts + 1`, attemptedAt: now })
          .where(isDelivery(found.id, number))
          .returning();
        const webhook = await change(session, found.id, held(session, lease));
        if (delivery) leased.push({ leaseId: lease.id, webhook, delivery });
      }
      return leased;
    });
  }

  /** Stores an attempt's outcome. @returns false if the lease no longer holds the webhook */
  settle(leased: LeasedDelivery, outcome: AttemptOutcome): Promise<boolean> {
    const { isDelivered, isSlow, httpStatus, problem, retryInMs, disables } = outcome;
    const { number, kind } = leased.delivery;
    return this.db.transaction(async (session) => {
      const webhook = await lockHeld(session, leased);
      if (!webhook) return false;
      const { orm, now } = session;
      const isOver = isDelivered || retryInMs === null;
      const status = isDelivered ? "delivered" : isOver ? "failed" : "pending";
      await orm
        .update(webhookDeliveries)
        .set({ status, httpStatus, problem })
        .where(and(isDelivery(webhook.id, number), eq(webhookDeliveries.status, "pending")));
      const next = isOver ? null : sql`${now} + ${Math.ceil(retryInMs)}`;
      await change(session, webhook.id, {
        failures: isDelivered ? 0 : webhook.failures + 1,
        pace: isDelivered && !isSlow ? "prompt" : "slow",
        ...(kind !== "event" && { waiting: webhook.waiting - 1 }),
        ...(number === webhook.head && { head: isOver ? null : number, retryAt: next }),
        ...(disables && { disabledAt: webhook.disabledAt ?? now }),
        ...freedAt(now),
      });
      return true;
    });
  }

  /** Ends an attempt that was interrupted: it does not count, and is made again at once. */
  release(leased: LeasedDelivery): Promise<void> {
    return this.db.transaction(async (session) => {
      const webhook = await lockHeld(session, leased);
      if (!webhook) return;
      await session.orm
        .update(webhookDeliveries)
        .set({ attempts: sql`attempts - 1` })
        .where(isDelivery(webhook.id, leased.delivery.number));
      await change(session, webhook.id, freedAt(session.now));
    });
  }

  recover(): Promise<void> {
    return freeLeases(this.db, webhooks);
  }
}

const kindOf = ({ tests }: DueWebhooks) => (tests ? "test" : "replay");

const isDelivery = (id: string, number: number) =>
  and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.number, number));

/** A webhook that is not leased. The lease's time stays: it says who was tried longest ago. */
const freedAt = (now: SQL) => ({ leaseId: null, leaseUntil: now });

async function findDue(
  { orm, now }: Session,
  lease: LeaseTerms,
  due: DueWebhooks,
  locking = sql.empty(),
): Promise<WebhookRow[]> {
  const { which, full, tests, limit } = due;
  const among =
    which === "all"
      ? undefined
      : which === "open"
        ? sql`(head is not null or waiting > 0)`
        : sql`wallet in ${which}`;
  const isDue = sql`when head is not null
      then retry_at <= ${now} or retry_at > ${now} + ${LONGEST_PAUSE_MS}
    else cursor < coalesce(
      (select last_id from event_counters where wallet = webhooks.wallet), 0)`;
  return await orm
    .select()
    .from(webhooks)
    .where(
      and(
        isNull(webhooks.disabledAt),
        sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now} + ${2 * lease.ms})`,
        sql`case when waiting > 0 and exists (select 1 from webhook_deliveries
            where webhook_id = webhooks.id and status = 'pending' and kind = ${kindOf(due)}) then true
          ${tests ? sql`else false` : isDue} end`,
        notInArray(webhooks.pace, [...full.paces]),
        notInArray(webhooks.wallet, [...full.wallets]),
        notInArray(sql`pace || ' ' || host`, [...full.hosts]),
        among,
      ),
    )
    // PostgreSQL also takes the lock before the limit.
    .orderBy(sql`lease_until nulls first, id ${locking}`)
    .limit(limit);
}

/** @returns the number of what a locked webhook sends next; null if there is nothing after all */
async function nextDelivery(
  session: Transaction,
  webhook: WebhookRow,
  kind: "test" | "replay",
): Promise<number | null> {
  const { id, wallet, cursor } = webhook;
  if (webhook.waiting > 0) {
    const first = await session.get<{ number: number }>(
      sql`select number from webhook_deliveries
        where webhook_id = ${id} and status = 'pending' and kind = ${kind} order by number limit 1`,
    );
    if (first) return first.number;
  }
  if (kind === "test") return null;
  if (webhook.head !== null) return webhook.head;
  const next = await session.get<{ event: number | null; last: number }>(
    sql`select (select min(id) from events where wallet = ${wallet} and id > ${cursor}) as event,
      last_id as last from event_counters where wallet = ${wallet}`,
  );
  const { event = null, last = 0 } = next ?? {};
  if (event === null) {
    // What came after the cursor is too old and was deleted.
    await change(session, id, { cursor: Math.max(cursor, last) });
    return null;
  }
  const { number, createdAt } = await addDelivery(session, webhook, "event", event);
  await change(session, id, { cursor: event, head: number, retryAt: createdAt });
  return number;
}

/** Changes a webhook that is locked. @returns it as it is then */
export async function change(
  { orm }: Transaction,
  id: string,
  set: SQLiteUpdateSetSource<typeof webhooks>,
): Promise<WebhookRow> {
  const [changed] = await orm.update(webhooks).set(set).where(eq(webhooks.id, id)).returning();
  if (!changed) throw new Error("the webhook is locked");
  return changed;
}

export async function addDelivery(
  session: Transaction,
  { id, wallet }: WebhookRow,
  kind: DeliveryRow["kind"],
  event: number | null,
): Promise<DeliveryRow> {
  const { orm, now } = session;
  const { lastNumber: number } = await change(session, id, {
    lastNumber: sql`last_number + 1`,
    ...(kind !== "event" && { waiting: sql`waiting + 1` }),
  });
  const isOld = lte(webhookDeliveries.number, number - DELIVERY_LOG);
  await orm
    .delete(webhookDeliveries)
    .where(
      and(eq(webhookDeliveries.webhookId, id), isOld, ne(webhookDeliveries.status, "pending")),
    );
  const [added] = await orm
    .insert(webhookDeliveries)
    .values({ webhookId: id, wallet, number, kind, event, createdAt: now })
    .returning();
  if (!added) throw new Error("an insert returns its row");
  return added;
}

async function lockHeld(
  { orm, locking }: Transaction,
  { leaseId, webhook }: LeasedDelivery,
): Promise<WebhookRow | undefined> {
  const isHeld = and(eq(webhooks.id, webhook.id), eq(webhooks.leaseId, leaseId));
  const [found] = await orm
    .select()
    .from(webhooks)
    .where(sql`${isHeld} ${locking("for update")}`);
  return found;
}
