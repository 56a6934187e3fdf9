import { sql } from "drizzle-orm";
import type { LeaseTerms } from "../domain/lease.ts";
import type { Database, Transaction } from "./database.ts";
import {
  addDelivery,
  addWaiting,
  DELIVERY,
  leaseDeliveries,
  releaseAttempt,
  setHead,
  settleAttempt,
  WEBHOOK,
} from "./webhook-attempts.ts";
import {
  type AddWebhookOutcome,
  type AttemptOutcome,
  type DeliveryRow,
  type DueWebhooks,
  type LeasedDelivery,
  type NewWebhook,
  type QueueOutcome,
  type StoredWebhook,
  toWebhook,
  type WebhookRow,
} from "./webhook-row.ts";

/**
 * The webhooks of all wallets, and their deliveries. An event becomes a delivery when its turn comes:
 * once the receiver has accepted the event before it, or that is given up. So there is at most one
 * delivery of `kind` `event` that waits, and however long a receiver is away, the events wait in their
 * own table.
 */
export class Webhooks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @param maxOfWallet how many webhooks a wallet may have */
  add({ after, ...webhook }: NewWebhook, maxOfWallet: number): Promise<AddWebhookOutcome> {
    const { id, wallet, url, host, createdAt, key } = webhook;
    return this.#db.transaction(
      async (session): Promise<AddWebhookOutcome> => {
        const existing = await session.all(ofWallet(wallet));
        if (existing.some((other) => other.url === url)) return "exists";
        if (existing.length >= maxOfWallet) return "limit";
        await session.run(sql`insert into webhooks (id, wallet, url, host, created_at, key, cursor)
          values (${id}, ${wallet}, ${url}, ${host}, ${Math.floor(createdAt)}, ${key},
            coalesce(cast(${after} as bigint),
              (select last_id from event_counters where wallet = ${wallet}), 0))`);
        return "added";
      },
      [`webhooks of ${wallet}`],
    );
  }

  /** The webhooks of a wallet, oldest first. */
  async list(wallet: string): Promise<WebhookRow[]> {
    return (await this.#db.read((session) => session.all(ofWallet(wallet)))).map(toWebhook);
  }

  /** Deletes a webhook and its log. @returns its URL; null if the wallet has none of this id */
  remove(wallet: string, id: string): Promise<string | null> {
    return this.#db.transaction(async (session) => {
      const removed = await session.get<{ url: string }>(
        sql`delete from webhooks where wallet = ${wallet} and id = ${id} returning url`,
      );
      if (removed) await session.run(sql`delete from webhook_deliveries where webhook_id = ${id}`);
      return removed?.url ?? null;
    });
  }

  /** Gives a webhook a new key; the one until now signs beside it until then. */
  async rotate(
    wallet: string,
    id: string,
    { key, oldUntil }: { readonly key: Uint8Array; readonly oldUntil: number },
  ): Promise<WebhookRow | null> {
    const row = await this.#db.write((session) =>
      session.get<StoredWebhook>(sql`update webhooks
        set old_key = key, old_key_until = ${Math.ceil(oldUntil)}, key = ${key}
        where wallet = ${wallet} and id = ${id} returning ${WEBHOOK}`),
    );
    return row && toWebhook(row);
  }

  /** Adds a test, or a replay of one event, which is tried at once. */
  queue(
    wallet: string,
    id: string,
    {
      event,
      maxWaiting,
    }: {
      /** Null for a test. */
      readonly event: number | null;
      /** How many of them may wait at a webhook. */
      readonly maxWaiting: number;
    },
  ): Promise<QueueOutcome> {
    return this.#db.transaction(async (session): Promise<QueueOutcome> => {
      const webhook = await lock(session, wallet, id);
      if (typeof webhook === "string") return webhook;
      if (webhook.waiting >= maxWaiting) return "full";
      await addWaiting(session, id, 1);
      return await addDelivery(session, webhook, {
        kind: event === null ? "test" : "replay",
        event,
      });
    });
  }

  /**
   * Sends what comes after an event, in order, and begins at once. A delivery that waits for its next
   * attempt is given up for it.
   */
  continueAfter(
    wallet: string,
    id: string,
    event: number,
  ): Promise<WebhookRow | "not_found" | "disabled"> {
    return this.#db.transaction(async (session) => {
      const webhook = await lock(session, wallet, id);
      if (typeof webhook === "string") return webhook;
      await session.run(sql`update webhook_deliveries set status = 'failed'
        where webhook_id = ${id} and number = ${webhook.head} and status = 'pending'`);
      return await setHead(session, id, { cursor: event, head: null, retryAt: null });
    });
  }

  /**
   * Reads the log, newest first.
   *
   * @param page `before`: only deliveries of smaller numbers; null for all
   * @returns null if the wallet has no such webhook
   */
  deliveries(
    wallet: string,
    id: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<DeliveryRow[] | null> {
    return this.#db.read(async (session) => {
      const found = sql`select 1 as one from webhooks where wallet = ${wallet} and id = ${id}`;
      if ((await session.get(found)) === null) return null;
      return await session.all<DeliveryRow>(sql`select ${DELIVERY} from webhook_deliveries
        where webhook_id = ${id} and number < ${before ?? Number.MAX_SAFE_INTEGER}
        order by number desc limit ${limit}`);
    });
  }

  /** Begins the next attempt of webhooks that are due; those first that were tried longest ago. */
  lease(lease: LeaseTerms, due: DueWebhooks): Promise<LeasedDelivery[]> {
    return leaseDeliveries(this.#db, lease, due);
  }

  /** Stores an attempt's outcome. @returns false if the lease no longer holds the webhook */
  settle(leased: LeasedDelivery, outcome: AttemptOutcome): Promise<boolean> {
    return this.#db.transaction((session) => settleAttempt(session, leased, outcome));
  }

  /** Ends an attempt that was interrupted: it does not count, and is made again at once. */
  release(leased: LeasedDelivery): Promise<void> {
    return this.#db.transaction((session) => releaseAttempt(session, leased));
  }

  /** Frees the leases of an earlier process. Nothing on a shared database: others may hold them. */
  async recover(): Promise<void> {
    if (this.#db.isShared) return;
    await this.#db.write((session) => session.run(sql`update webhooks set lease_id = null`));
  }
}

const ofWallet = (wallet: string) =>
  sql<StoredWebhook>`select ${WEBHOOK} from webhooks where wallet = ${wallet} order by created_at, id`;

async function lock(
  session: Transaction,
  wallet: string,
  id: string,
): Promise<StoredWebhook | "not_found" | "disabled"> {
  const webhook = await session.get(sql<StoredWebhook>`select ${WEBHOOK} from webhooks
    where wallet = ${wallet} and id = ${id} ${session.locking("for update")}`);
  if (!webhook) return "not_found";
  return webhook.disabledAt === null ? webhook : "disabled";
}
