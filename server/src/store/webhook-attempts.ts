import { type SQL, sql } from "drizzle-orm";
import type { LeaseTerms } from "../domain/lease.ts";
import type { Database, Session, Transaction } from "./database.ts";
import {
  type AttemptOutcome,
  DELIVERY_LOG,
  type DeliveryKind,
  type DeliveryRow,
  type DueWebhooks,
  type LeasedDelivery,
  LONGEST_PAUSE_MS,
  type StoredWebhook,
  toWebhook,
  type WebhookRow,
} from "./webhook-row.ts";

export const WEBHOOK = sql<StoredWebhook>`id, wallet, url, host, created_at as "createdAt", key,
  old_key as "oldKey", old_key_until as "oldKeyUntil", cursor, head, retry_at as "retryAt", failures,
  pace, disabled_at as "disabledAt", waiting`;

export const DELIVERY = sql<DeliveryRow>`number, kind, event, status, attempts,
  created_at as "createdAt", attempted_at as "attemptedAt", http_status as "httpStatus", problem`;

/** See `Webhooks.lease`. */
export async function leaseDeliveries(
  db: Database,
  lease: LeaseTerms,
  due: DueWebhooks,
): Promise<LeasedDelivery[]> {
  const find = (session: Session, locking?: SQL) =>
    session.all(dueWebhooks(session, lease, due).append(locking ?? sql.empty()));
  // Most changes are of wallets without a webhook, and a write waits for the disk.
  if ((await db.read((session) => find(session))).length === 0) return [];
  return await db.transaction(async (session) => {
    const leased: LeasedDelivery[] = [];
    const locking = session.locking(" for update of webhook skip locked");
    for (const webhook of await find(session, locking)) {
      if (!due.admits(toWebhook(webhook))) continue;
      const delivery = await begin(session, webhook, { kind: kindOf(due), lease });
      if (delivery) leased.push(delivery);
    }
    return leased;
  });
}

const kindOf = ({ tests }: DueWebhooks) => (tests ? "test" : "replay");

function dueWebhooks(session: Session, lease: LeaseTerms, due: DueWebhooks): SQL<StoredWebhook> {
  const { which, full, tests, limit } = due;
  const notIn = (column: SQL, values: readonly string[]) =>
    values.length === 0 ? sql.empty() : sql`and ${column} not in ${values}`;
  const now = sql`(select ms from clock)`;
  const among =
    which === "all"
      ? sql.empty()
      : which === "open"
        ? sql`and (head is not null or waiting > 0)`
        : sql`and wallet in ${which}`;
  const isDue = sql`when head is not null
      then retry_at <= ${now} or retry_at > ${now} + ${LONGEST_PAUSE_MS}
    else cursor < coalesce(
      (select last_id from event_counters where wallet = webhook.wallet), 0)`;
  return sql<StoredWebhook>`with clock as materialized (select ${session.now} as ms)
    select ${WEBHOOK} from webhooks as webhook
    where disabled_at is null
      and (lease_id is null or lease_until <= ${now} or lease_until > ${now} + ${2 * lease.ms})
      and case when waiting > 0 and exists (select 1 from webhook_deliveries
          where webhook_id = webhook.id and status = 'pending' and kind = ${kindOf(due)}) then true
        ${tests ? sql`else false` : isDue} end
      ${notIn(sql`pace`, full.paces)} ${notIn(sql`wallet`, full.wallets)}
      ${notIn(sql`pace || ' ' || host`, full.hosts)} ${among}
    order by lease_until nulls first, id limit ${limit}`;
}

/** Begins the attempt of a webhook that is locked; null if there is none after all. */
async function begin(
  session: Transaction,
  webhook: StoredWebhook,
  { kind, lease }: { readonly kind: "test" | "replay"; readonly lease: LeaseTerms },
): Promise<LeasedDelivery | null> {
  const { id } = webhook;
  const number = await nextDelivery(session, webhook, kind);
  if (number === null) return null;
  const delivery = await session.get<DeliveryRow>(
    sql`update webhook_deliveries set attempts = attempts + 1, attempted_at = ${session.now}
      where webhook_id = ${id} and number = ${number} returning ${DELIVERY}`,
  );
  const held = await session.get<StoredWebhook>(
    sql`update webhooks set lease_id = ${lease.id}, lease_until = ${session.now} + ${lease.ms}
      where id = ${id} returning ${WEBHOOK}`,
  );
  return delivery && held && { leaseId: lease.id, webhook: toWebhook(held), delivery };
}

async function nextDelivery(
  session: Transaction,
  webhook: StoredWebhook,
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
    await setHead(session, id, { cursor: Math.max(cursor, last), head: null, retryAt: null });
    return null;
  }
  const { number, createdAt } = await addDelivery(session, webhook, { kind: "event", event });
  await setHead(session, id, { cursor: event, head: number, retryAt: createdAt });
  return number;
}

/** @returns the webhook as it is then */
export async function setHead(
  session: Transaction,
  id: string,
  { cursor, head, retryAt }: Pick<WebhookRow, "cursor" | "head" | "retryAt">,
): Promise<WebhookRow> {
  const changed = await session.get<StoredWebhook>(
    sql`update webhooks set cursor = ${cursor}, head = ${head}, retry_at = ${retryAt}
      where id = ${id} returning ${WEBHOOK}`,
  );
  if (!changed) throw new Error("the webhook is locked");
  return toWebhook(changed);
}

export async function addDelivery(
  session: Transaction,
  { id, wallet }: Pick<WebhookRow, "id" | "wallet">,
  { kind, event }: { readonly kind: DeliveryKind; readonly event: number | null },
): Promise<DeliveryRow> {
  const next = await session.get<{ number: number }>(
    sql`update webhooks set last_number = last_number + 1 where id = ${id}
      returning last_number as number`,
  );
  if (!next) throw new Error("the webhook is locked");
  const { number } = next;
  await session.run(sql`delete from webhook_deliveries
    where webhook_id = ${id} and number <= ${number - DELIVERY_LOG} and status <> 'pending'`);
  const added = await session.get<DeliveryRow>(
    sql`insert into webhook_deliveries (webhook_id, wallet, number, kind, event, created_at)
      values (${id}, ${wallet}, ${number}, ${kind}, ${event}, ${session.now}) returning ${DELIVERY}`,
  );
  if (!added) throw new Error("an insert returns its row");
  return added;
}

/** See `Webhooks.settle`. */
export async function settleAttempt(
  session: Transaction,
  leased: LeasedDelivery,
  outcome: AttemptOutcome,
): Promise<boolean> {
  const { isDelivered, isSlow, httpStatus, problem, retryInMs, disables } = outcome;
  const { id } = leased.webhook;
  const { number, kind } = leased.delivery;
  const webhook = await lockHeld(session, leased);
  if (!webhook) return false;
  const isOver = isDelivered || retryInMs === null;
  const status = isDelivered ? "delivered" : isOver ? "failed" : "pending";
  await session.run(sql`update webhook_deliveries
    set status = ${status}, http_status = ${httpStatus}, problem = ${problem}
    where webhook_id = ${id} and number = ${number} and status = 'pending'`);
  if (kind !== "event") await addWaiting(session, id, -1);
  if (number === webhook.head) {
    if (isOver) await setHead(session, id, { ...webhook, head: null, retryAt: null });
    else {
      await session.run(sql`update webhooks set retry_at = ${session.now} + ${Math.ceil(retryInMs)}
        where id = ${id}`);
    }
  }
  await free(session, {
    ...{ id, disables, failures: isDelivered ? 0 : webhook.failures + 1 },
    pace: isDelivered && !isSlow ? "prompt" : "slow",
  });
  return true;
}

/** See `Webhooks.release`. */
export async function releaseAttempt(session: Transaction, leased: LeasedDelivery): Promise<void> {
  const webhook = await lockHeld(session, leased);
  if (!webhook) return;
  await session.run(sql`update webhook_deliveries set attempts = attempts - 1
    where webhook_id = ${webhook.id} and number = ${leased.delivery.number}`);
  await free(session, { ...webhook, disables: false });
}

async function lockHeld(
  session: Transaction,
  { leaseId, webhook }: LeasedDelivery,
): Promise<StoredWebhook | null> {
  return await session.get(sql<StoredWebhook>`select ${WEBHOOK} from webhooks
    where id = ${webhook.id} and lease_id = ${leaseId} ${session.locking("for update")}`);
}

export async function addWaiting(session: Transaction, id: string, more: number): Promise<void> {
  await session.run(sql`update webhooks set waiting = waiting + ${more} where id = ${id}`);
}

/** Ends the lease. Its time stays: it says who was tried longest ago. */
async function free(
  session: Transaction,
  webhook: Pick<WebhookRow, "id" | "failures" | "pace"> & { readonly disables: boolean },
): Promise<void> {
  const { id, failures, pace, disables } = webhook;
  const disabledAt = disables ? sql`coalesce(disabled_at, ${session.now})` : sql`disabled_at`;
  await session.run(sql`update webhooks set lease_id = null, lease_until = ${session.now},
    failures = ${failures}, pace = ${pace}, disabled_at = ${disabledAt} where id = ${id}`);
}
