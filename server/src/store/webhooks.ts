import { and, eq, lte, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { DAY_MS, type LeaseTerms } from "../base/clock.ts";
import {
  type Database,
  type Dialect,
  freeLeases,
  held,
  isFree,
  isOver,
  rowIn,
  rowOf,
  rowsOf,
  type Session,
  type Transaction,
} from "./database.ts";
import { webhookDeliveries, webhooks } from "./schema.ts";
import { type Page, type PagePart, readPage } from "./tokens.ts";

export type WebhookRow = Readonly<typeof webhooks.$inferSelect>;
export type WebhookPace = WebhookRow["pace"];
export type DeliveryRow = Readonly<typeof webhookDeliveries.$inferSelect>;

/** How many deliveries of a webhook are kept: the log that its agent reads. */
export const DELIVERY_LOG = 200;

/** No other attempt of its webhook is running. */
export interface LeasedDelivery {
  readonly webhook: WebhookRow;
  readonly delivery: DeliveryRow;
}

export interface DueWebhooks {
  /** `open`: the few with a waiting delivery. `all`: also those with new events only. */
  readonly which: readonly string[] | "open" | "all";
  readonly full: {
    readonly wallets: readonly string[];
    readonly paces: readonly WebhookPace[];
    /** A host's webhooks of one pace, for example `slow hooks.example`. */
    readonly hosts: readonly `${WebhookPace} ${string}`[];
  };
  readonly limit: number;
  /** Returns whether to begin the webhook's attempt. May be called again with the same webhook. */
  readonly admits: (webhook: WebhookRow) => boolean;
}

export interface AttemptOutcome {
  readonly httpStatus: number | null;
  readonly problem: string | null;
  readonly isDelivered: boolean;
  readonly isSlow: boolean;
  /** Null if there is no next attempt. */
  readonly retryInMs: number | null;
}

export type NewWebhook = Pick<WebhookRow, "id" | "wallet" | "url" | "host" | "createdAt"> & {
  /** The secret, 32 bytes. */
  readonly key: Uint8Array;
  /** The id of the event to start after; null to start with the next event. */
  readonly after: number | null;
};

/**
 * An event turns into a delivery when the receiver has accepted the one before it, or that one is
 * given up. So at most one delivery of `kind` `event` waits, and while a receiver is away its
 * events wait in their own table.
 */
export class Webhooks {
  constructor(private readonly db: Database) {}

  add(
    { after, ...webhook }: NewWebhook,
    maxOfWallet: number,
  ): Promise<WebhookRow | "exists" | "limit"> {
    const { wallet, url } = webhook;
    const [key, createdAt] = [Buffer.from(webhook.key), Math.floor(webhook.createdAt)];
    const newest = sql`coalesce((select last_id from event_counters where wallet = ${wallet}), 0)`;
    return this.db.transaction(
      async (session) => {
        const existing = await ofWallet(session, wallet);
        if (existing.some((other) => other.url === url)) return "exists";
        if (existing.length >= maxOfWallet) return "limit";
        const row = { ...webhook, key, createdAt, cursor: after ?? newest };
        return rowIn(await session.orm.insert(webhooks).values(row).returning());
      },
      [`webhooks of ${wallet}`],
    );
  }

  list(wallet: string): Promise<WebhookRow[]> {
    return this.db.read((session) => ofWallet(session, wallet));
  }

  /** Deletes a webhook. Returns its URL; null if the wallet has no such webhook. */
  remove(wallet: string, id: string): Promise<string | null> {
    return this.db.transaction(async ({ orm }) => {
      const [removed] = await orm.delete(webhooks).where(isOf(wallet, id)).returning();
      if (!removed) return null;
      await orm.delete(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id));
      return removed.url;
    });
  }

  /** Adds a test, which is tried once and at once; at most `maxWaiting` wait. */
  test(wallet: string, id: string, maxWaiting: number): Promise<DeliveryRow | "full" | null> {
    return this.db.transaction(async (session) => {
      const locked = sql`${isOf(wallet, id)} ${session.locking("for update")}`;
      const webhook = await rowOf(session, webhooks, locked);
      if (!webhook) return null;
      if (webhook.waiting >= maxWaiting) return "full";
      await change(session, id, { waiting: sql`waiting + 1` });
      return await addDelivery(session, id, { kind: "test", event: null });
    });
  }

  deliveries(wallet: string, id: string, part: PagePart): Promise<Page<DeliveryRow> | null> {
    return this.db.read(async (session) => {
      if ((await rowOf(session, webhooks, isOf(wallet, id))) === null) return null;
      return await readPage(part, ({ before, limit }) =>
        rowsOf(
          session,
          webhookDeliveries,
          sql`webhook_id = ${id} and number < ${before} order by number desc limit ${limit}`,
        ),
      );
    });
  }

  /** Begins the next attempt of webhooks that are due, starting with those tried longest ago. */
  async lease(lease: LeaseTerms, due: DueWebhooks): Promise<LeasedDelivery[]> {
    // Reads first: most changes are of wallets without a webhook, and a write waits for the disk.
    const isAny = await this.db.read((session) =>
      session.get(sql`select 1 as one from webhooks where ${isDue(session, due)}`),
    );
    if (!isAny) return [];
    return await this.db.transaction(async (session) => {
      const leased: LeasedDelivery[] = [];
      const locking = session.locking("for update skip locked");
      const found = await rowsOf(session, webhooks, sql`${isDue(session, due)} ${locking}`);
      for (const free of found) {
        if (!due.admits(free)) continue;
        const number = await nextDelivery(session, free);
        if (number === null) continue;
        const [delivery] = await session.orm
          .update(webhookDeliveries)
          .set({ attempts: sql`attempts + 1`, attemptedAt: session.now })
          .where(isDelivery(free.id, number))
          .returning();
        const webhook = await change(session, free.id, held(session, lease));
        if (delivery) leased.push({ webhook, delivery });
      }
      return leased;
    });
  }

  settle(leased: LeasedDelivery, outcome: AttemptOutcome): Promise<boolean> {
    const { isDelivered, isSlow, httpStatus, problem, retryInMs } = outcome;
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
        .where(isDelivery(webhook.id, number));
      const next = isOver ? null : sql`${now} + ${Math.ceil(retryInMs)}`;
      await change(session, webhook.id, {
        failures: isDelivered ? 0 : webhook.failures + 1,
        pace: isDelivered && !isSlow ? "prompt" : "slow",
        ...(kind === "test"
          ? { waiting: webhook.waiting - 1 }
          : { head: isOver ? null : number, retryAt: next }),
        ...freedAt(now),
      });
      return true;
    });
  }

  /** Ends an interrupted attempt, which does not count and is made again at once. */
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

const isOf = (wallet: string, id: string) => sql`wallet = ${wallet} and id = ${id}`;

const ofWallet = (session: Session, wallet: string): Promise<WebhookRow[]> =>
  rowsOf(session, webhooks, sql`wallet = ${wallet} order by created_at, id`);

const isDelivery = (id: string, number: number) =>
  and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.number, number));

/** Keeps the time of the lease, which shows which webhook was tried longest ago. */
const freedAt = (now: SQL) => ({ leaseId: null, leaseUntil: now });

function isDue(dialect: Dialect, { which, full, limit }: DueWebhooks): SQL {
  const notIn = (column: SQL, values: readonly string[]) =>
    values.length === 0 ? sql.empty() : sql`and ${column} not in ${values}`;
  const among = which === "all" ? sql`true` : sql`wallet in ${which}`;
  const eventWaits = sql`when head is not null
      then ${isOver(dialect, sql`retry_at`, DAY_MS)}
    else cursor < coalesce(
      (select last_id from event_counters where wallet = webhooks.wallet), 0)`;
  return sql`${isFree(dialect)}
    and case when waiting > 0 then true ${eventWaits} end
    and ${which === "open" ? sql`(head is not null or waiting > 0)` : among}
    ${notIn(sql`pace`, full.paces)} ${notIn(sql`wallet`, full.wallets)}
    ${notIn(sql`pace || ' ' || host`, full.hosts)}
    order by lease_until nulls first, id limit ${limit}`;
}

async function nextDelivery(session: Transaction, webhook: WebhookRow): Promise<number | null> {
  const { id, wallet, cursor } = webhook;
  if (webhook.waiting > 0) {
    const first = await session.get<{ number: number }>(
      sql`select number from webhook_deliveries
        where webhook_id = ${id} and status = 'pending' and kind = 'test' order by number limit 1`,
    );
    if (first) return first.number;
  }
  if (webhook.head !== null) return webhook.head;
  const next = await session.get<{ event: number | null; last: number }>(
    sql`select (select min(id) from events where wallet = ${wallet} and id > ${cursor}) as event,
      last_id as last from event_counters where wallet = ${wallet}`,
  );
  const { event = null, last = 0 } = next ?? {};
  if (event === null) {
    // The events after the cursor were too old and have been deleted.
    await change(session, id, { cursor: Math.max(cursor, last) });
    return null;
  }
  const { number, createdAt } = await addDelivery(session, id, { kind: "event", event });
  await change(session, id, { cursor: event, head: number, retryAt: createdAt });
  return number;
}

async function change(
  { orm }: Transaction,
  id: string,
  set: SQLiteUpdateSetSource<typeof webhooks>,
): Promise<WebhookRow> {
  return rowIn(await orm.update(webhooks).set(set).where(eq(webhooks.id, id)).returning());
}

/** Adds a delivery to a locked webhook, and deletes what is too old for its log. */
async function addDelivery(
  { orm, now }: Transaction,
  webhookId: string,
  { kind, event }: Pick<DeliveryRow, "kind" | "event">,
): Promise<DeliveryRow> {
  const isOfWebhook = eq(webhookDeliveries.webhookId, webhookId);
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from webhook_deliveries where ${isOfWebhook})`;
  const row = { webhookId, number, kind, event, createdAt: now };
  const added = rowIn(await orm.insert(webhookDeliveries).values(row).returning());
  const isOld = lte(webhookDeliveries.number, added.number - DELIVERY_LOG);
  const isOver = ne(webhookDeliveries.status, "pending");
  await orm.delete(webhookDeliveries).where(and(isOfWebhook, isOld, isOver));
  return added;
}

function lockHeld(session: Transaction, { webhook }: LeasedDelivery): Promise<WebhookRow | null> {
  const isHeld = sql`id = ${webhook.id} and lease_id = ${webhook.leaseId} ${session.locking("for update")}`;
  return rowOf(session, webhooks, isHeld);
}
