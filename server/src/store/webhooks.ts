import { eq, sql } from "drizzle-orm";
import { rowIn, rowOf, rowsOf, type Session, type Transaction } from "./database.ts";
import { webhookDeliveries, webhooks } from "./schema.ts";
import {
  addDelivery,
  change,
  type DeliveryRow,
  WebhookAttempts,
  type WebhookRow,
} from "./webhook-attempts.ts";

export type NewWebhook = Pick<WebhookRow, "id" | "wallet" | "url" | "host" | "createdAt"> & {
  /** 32 bytes: the secrets come from it. */
  readonly key: Uint8Array;
  /** The id of the event after which it begins; null for those to come. */
  readonly after: number | null;
};

/**
 * An event becomes a delivery when its turn comes: once the receiver has accepted the one before it, or that
 * is given up. So at most one delivery of `kind` `event` waits, and however long a receiver is away, the
 * events wait in their own table.
 */
export class Webhooks extends WebhookAttempts {
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

  /** Oldest first. */
  list(wallet: string): Promise<WebhookRow[]> {
    return this.db.read((session) => ofWallet(session, wallet));
  }

  /** @returns its URL; null if the wallet has none of this id */
  remove(wallet: string, id: string): Promise<string | null> {
    return this.db.transaction(async ({ orm }) => {
      const [removed] = await orm.delete(webhooks).where(isOf(wallet, id)).returning();
      if (!removed) return null;
      await orm.delete(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id));
      return removed.url;
    });
  }

  /** The old one signs beside it until `oldUntil`. */
  async rotate(
    wallet: string,
    id: string,
    { key, oldUntil }: { readonly key: Uint8Array; readonly oldUntil: number },
  ): Promise<WebhookRow | null> {
    const keys = { oldKey: sql`key`, oldKeyUntil: Math.ceil(oldUntil), key: Buffer.from(key) };
    const [row] = await this.db.write(({ orm }) =>
      orm.update(webhooks).set(keys).where(isOf(wallet, id)).returning(),
    );
    return row ?? null;
  }

  /** Adds a replay of one event, or a test, which is tried at once; at most `maxWaiting` wait at a webhook. */
  queue(
    wallet: string,
    id: string,
    { event, maxWaiting }: { readonly event: number | null; readonly maxWaiting: number },
  ): Promise<DeliveryRow | "not_found" | "disabled" | "full"> {
    return this.db.transaction(async (session) => {
      const webhook = await lock(session, wallet, id);
      if (typeof webhook === "string") return webhook;
      if (webhook.waiting >= maxWaiting) return "full";
      return await addDelivery(session, id, { kind: event === null ? "test" : "replay", event });
    });
  }

  /** Sends what comes after an event, at once. A delivery that waits for its next attempt is given up for it. */
  continueAfter(
    wallet: string,
    id: string,
    event: number,
  ): Promise<WebhookRow | "not_found" | "disabled"> {
    return this.db.transaction(async (session) => {
      const webhook = await lock(session, wallet, id);
      if (typeof webhook === "string") return webhook;
      await session.run(sql`update webhook_deliveries set status = 'failed'
        where webhook_id = ${id} and number = ${webhook.head} and status = 'pending'`);
      return await change(session, id, { cursor: event, head: null, retryAt: null });
    });
  }

  /** Numbers below `before`, newest first. @returns null without such a webhook */
  deliveries(
    wallet: string,
    id: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<DeliveryRow[] | null> {
    const page = sql`webhook_id = ${id} and number < ${before ?? Number.MAX_SAFE_INTEGER}
      order by number desc limit ${limit}`;
    return this.db.read(async (session) => {
      const webhook = await rowOf(session, webhooks, isOf(wallet, id));
      return webhook && (await rowsOf(session, webhookDeliveries, page));
    });
  }
}

const isOf = (wallet: string, id: string) => sql`wallet = ${wallet} and id = ${id}`;

const ofWallet = (session: Session, wallet: string): Promise<WebhookRow[]> =>
  rowsOf(session, webhooks, sql`wallet = ${wallet} order by created_at, id`);

async function lock(
  session: Transaction,
  wallet: string,
  id: string,
): Promise<WebhookRow | "not_found" | "disabled"> {
  const locked = sql`${isOf(wallet, id)} ${session.locking("for update")}`;
  const webhook = await rowOf(session, webhooks, locked);
  if (!webhook) return "not_found";
  return webhook.disabledAt === null ? webhook : "disabled";
}
