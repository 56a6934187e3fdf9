import {
  type AddWebhookOutcome,
  type AttemptOutcome,
  DELIVERY_LOG,
  type DeliveryKind,
  type DeliveryRow,
  type DueWebhooks,
  type LeasedDelivery,
  LONGEST_PAUSE_MS,
  type NewWebhook,
  type QueueOutcome,
  type WebhookLease,
  type WebhookRow,
  type WebhookStore,
} from "../webhook-store.ts";
import type { PostgresDatabase, Session } from "./database.ts";
import { lockAll } from "./locks.ts";
import {
  ADD_WAITING,
  FIND,
  FIRST_WAITING,
  FORGET,
  GIVE_UP,
  INSERT,
  LOCK,
  LOCK_HELD,
  LOG,
  NEXT_EVENT,
  NEXT_NUMBER,
  OF_WALLET,
  REMOVE,
  REMOVE_LOG,
  ROTATE,
  SET_HEAD,
  SETTLE,
  type StoredWebhook,
  statementsAt,
  UNCOUNT,
} from "./webhook-statements.ts";

/** The tables of webhooks, shared by all servers of the database. */
export class PostgresWebhookStore implements WebhookStore {
  readonly #db: PostgresDatabase;
  readonly #statements;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    this.#statements = statementsAt(time);
  }

  add({ after, ...webhook }: NewWebhook, maxOfWallet: number): Promise<AddWebhookOutcome> {
    const { id, wallet, url, host, createdAt, key } = webhook;
    return this.#db.transaction(
      async (session): Promise<AddWebhookOutcome> => {
        const existing = await session.rows<WebhookRow>(OF_WALLET, wallet);
        if (existing.some((other) => other.url === url)) return "exists";
        if (existing.length >= maxOfWallet) return "limit";
        const created = Math.floor(createdAt);
        await session.rows(INSERT, id, wallet, url, host, created, Buffer.from(key), after);
        return "added";
      },
      lockAll([`webhooks of ${wallet}`]),
    );
  }

  async list(wallet: string): Promise<WebhookRow[]> {
    const rows = await this.#db.read((session) => session.rows<StoredWebhook>(OF_WALLET, wallet));
    return rows.map(toRow);
  }

  remove(wallet: string, id: string): Promise<string | null> {
    return this.#db.transaction(async (session) => {
      const [removed] = await session.rows<{ url: string }>(REMOVE, wallet, id);
      if (removed) await session.rows(REMOVE_LOG, id);
      return removed?.url ?? null;
    });
  }

  async rotate(
    wallet: string,
    id: string,
    key: Uint8Array,
    oldUntil: number,
  ): Promise<WebhookRow | null> {
    const [row] = await this.#db.write((session) =>
      session.rows<StoredWebhook>(ROTATE, wallet, id, Buffer.from(key), Math.ceil(oldUntil)),
    );
    return row ? toRow(row) : null;
  }

  queue(
    wallet: string,
    id: string,
    event: number | null,
    maxWaiting: number,
  ): Promise<QueueOutcome> {
    return this.#db.transaction(async (session): Promise<QueueOutcome> => {
      const [webhook] = await session.rows<StoredWebhook>(LOCK, wallet, id);
      if (!webhook) return "not_found";
      if (webhook.disabledAt !== null) return "disabled";
      if (webhook.waiting >= maxWaiting) return "full";
      await session.rows(ADD_WAITING, id, 1);
      return await this.#addDelivery(session, webhook, event === null ? "test" : "replay", event);
    });
  }

  continueAfter(
    wallet: string,
    id: string,
    event: number,
  ): Promise<WebhookRow | "not_found" | "disabled"> {
    return this.#db.transaction(async (session) => {
      const [webhook] = await session.rows<StoredWebhook>(LOCK, wallet, id);
      if (!webhook) return "not_found";
      if (webhook.disabledAt !== null) return "disabled";
      if (webhook.head !== null) await session.rows(GIVE_UP, id, webhook.head);
      const [changed] = await session.rows<StoredWebhook>(SET_HEAD, id, event, null, null);
      if (!changed) throw new Error("the webhook is locked");
      return toRow(changed);
    });
  }

  deliveries(
    wallet: string,
    id: string,
    before: number | null,
    limit: number,
  ): Promise<DeliveryRow[] | null> {
    return this.#db.read(async (session) => {
      if ((await session.rows(FIND, wallet, id)).length === 0) return null;
      return await session.rows<DeliveryRow>(LOG, id, before ?? Number.MAX_SAFE_INTEGER, limit);
    });
  }

  async lease(lease: WebhookLease, due: DueWebhooks): Promise<LeasedDelivery[]> {
    const { dueOfAll, dueOfOpen, dueOfWallets } = this.#statements;
    const { which, full } = due;
    const kind = due.tests ? "test" : "replay";
    const bounds = [
      ...[2 * lease.ms, LONGEST_PAUSE_MS, full.paces, due.limit],
      ...[kind, full.wallets, full.hosts],
    ] as const;
    const find = (session: Session, lock: 0 | 1) =>
      typeof which === "string"
        ? session.rows<StoredWebhook>((which === "all" ? dueOfAll : dueOfOpen)[lock], ...bounds)
        : session.rows<StoredWebhook>(dueOfWallets[lock], ...bounds, which);
    // Most changes are of wallets without a webhook.
    if ((await this.#db.read((session) => find(session, 0))).length === 0) return [];
    return await this.#db.transaction(async (session) => {
      const leased: LeasedDelivery[] = [];
      for (const webhook of await find(session, 1)) {
        if (!due.admits(toRow(webhook))) continue;
        const delivery = await this.#begin(session, webhook, { kind, lease });
        if (delivery) leased.push(delivery);
      }
      return leased;
    });
  }

  settle(
    { leaseId, webhook: { id }, delivery }: LeasedDelivery,
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    const { isDelivered, isSlow, httpStatus, problem, retryInMs, disables } = outcome;
    const isOver = isDelivered || retryInMs === null;
    const status = isDelivered ? "delivered" : isOver ? "failed" : "pending";
    return this.#db.transaction(async (session) => {
      const [webhook] = await session.rows<StoredWebhook>(LOCK_HELD, id, leaseId);
      if (!webhook) return false;
      await session.rows(SETTLE, id, delivery.number, status, httpStatus, problem);
      if (delivery.kind !== "event") await session.rows(ADD_WAITING, id, -1);
      if (delivery.number === webhook.head) {
        if (isOver) await session.rows(SET_HEAD, id, webhook.cursor, null, null);
        else await session.rows(this.#statements.retry, id, Math.ceil(retryInMs));
      }
      const failures = isDelivered ? 0 : webhook.failures + 1;
      const pace = isDelivered && !isSlow ? "prompt" : "slow";
      await session.rows(this.#statements.free, id, failures, disables, pace);
      return true;
    });
  }

  async release({ leaseId, webhook: { id }, delivery }: LeasedDelivery): Promise<void> {
    await this.#db.transaction(async (session) => {
      const [webhook] = await session.rows<StoredWebhook>(LOCK_HELD, id, leaseId);
      if (!webhook) return;
      await session.rows(UNCOUNT, id, delivery.number);
      await session.rows(this.#statements.free, id, webhook.failures, false, webhook.pace);
    });
  }

  async recover(): Promise<void> {}

  /** Begins the attempt of a webhook that is locked; null if there is none after all. */
  async #begin(
    session: Session,
    webhook: StoredWebhook,
    { kind, lease }: { readonly kind: "test" | "replay"; readonly lease: WebhookLease },
  ): Promise<LeasedDelivery | null> {
    const { id } = webhook;
    const number = await this.#nextDelivery(session, webhook, kind);
    if (number === null) return null;
    const { attempt, hold } = this.#statements;
    const [delivery] = await session.rows<DeliveryRow>(attempt, id, number);
    const [held] = await session.rows<StoredWebhook>(hold, id, lease.id, lease.ms);
    return delivery && held ? { leaseId: lease.id, webhook: toRow(held), delivery } : null;
  }

  async #nextDelivery(
    session: Session,
    webhook: StoredWebhook,
    kind: "test" | "replay",
  ): Promise<number | null> {
    const { id, wallet, cursor } = webhook;
    if (webhook.waiting > 0) {
      const [first] = await session.rows<{ number: number }>(FIRST_WAITING, id, kind);
      if (first) return first.number;
    }
    if (kind === "test") return null;
    if (webhook.head !== null) return webhook.head;
    const [next] = await session.rows<{ event: number | null; last: number }>(
      NEXT_EVENT,
      wallet,
      cursor,
    );
    const { event = null, last = 0 } = next ?? {};
    if (event === null) {
      // What came after the cursor is too old and was deleted.
      await session.rows(SET_HEAD, id, Math.max(cursor, last), null, null);
      return null;
    }
    const { number, createdAt } = await this.#addDelivery(session, webhook, "event", event);
    await session.rows(SET_HEAD, id, event, number, createdAt);
    return number;
  }

  async #addDelivery(
    session: Session,
    { id, wallet }: Pick<WebhookRow, "id" | "wallet">,
    kind: DeliveryKind,
    event: number | null,
  ): Promise<DeliveryRow> {
    const [next] = await session.rows<{ number: number }>(NEXT_NUMBER, id);
    if (!next) throw new Error("the webhook is locked");
    await session.rows(FORGET, id, next.number - DELIVERY_LOG);
    const { addDelivery } = this.#statements;
    const [added] = await session.rows<DeliveryRow>(
      addDelivery,
      ...[id, wallet, next.number, kind, event],
    );
    if (!added) throw new Error("an insert returns its row");
    return added;
  }
}

/** Without what only the statements need. */
function toRow({ waiting: _, ...webhook }: StoredWebhook): WebhookRow {
  return webhook;
}
