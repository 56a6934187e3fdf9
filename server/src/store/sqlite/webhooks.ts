import type { Clock } from "../../base/clock.ts";
import {
  type AddWebhookOutcome,
  type AttemptOutcome,
  DELIVERY_LOG,
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
import type { Database } from "./database.ts";
import { prepareWebhooks, type StoredWebhook } from "./webhook-statements.ts";

/** The tables of webhooks. Each call is one synchronous transaction. */
export class SqliteWebhookStore implements WebhookStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #statements;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#statements = prepareWebhooks(db);
  }

  async add({ after, ...webhook }: NewWebhook, maxOfWallet: number): Promise<AddWebhookOutcome> {
    const { ofWallet, lastEvent, insert } = this.#statements;
    return this.#write((): AddWebhookOutcome => {
      const existing = ofWallet.all(webhook.wallet);
      if (existing.some(({ url }) => url === webhook.url)) return "exists";
      if (existing.length >= maxOfWallet) return "limit";
      const cursor = after ?? lastEvent.get(webhook.wallet)?.last ?? 0;
      insert.run({ ...webhook, key: Buffer.from(webhook.key), cursor });
      return "added";
    });
  }

  async list(wallet: string): Promise<WebhookRow[]> {
    return this.#statements.ofWallet.all(wallet).map(toRow);
  }

  async remove(wallet: string, id: string): Promise<string | null> {
    const { remove, removeLog } = this.#statements;
    return this.#write(() => {
      const removed = remove.get(wallet, id);
      if (removed) removeLog.run(id);
      return removed?.url ?? null;
    });
  }

  async rotate(
    wallet: string,
    id: string,
    key: Uint8Array,
    oldUntil: number,
  ): Promise<WebhookRow | null> {
    const row = this.#statements.rotate.get({ wallet, id, key: Buffer.from(key), oldUntil });
    return row && toRow(row);
  }

  async queue(
    wallet: string,
    id: string,
    event: number | null,
    maxWaiting: number,
  ): Promise<QueueOutcome> {
    const { find, addWaiting } = this.#statements;
    return this.#write((): QueueOutcome => {
      const webhook = find.get(wallet, id);
      if (!webhook) return "not_found";
      if (webhook.disabledAt !== null) return "disabled";
      if (webhook.waiting >= maxWaiting) return "full";
      addWaiting.run(1, id);
      return this.#addDelivery(webhook, event === null ? "test" : "replay", event);
    });
  }

  async continueAfter(
    wallet: string,
    id: string,
    event: number,
  ): Promise<WebhookRow | "not_found" | "disabled"> {
    const { find, setHead, giveUp } = this.#statements;
    return this.#write(() => {
      const webhook = find.get(wallet, id);
      if (!webhook) return "not_found";
      if (webhook.disabledAt !== null) return "disabled";
      if (webhook.head !== null) giveUp.run(id, webhook.head);
      const changed = setHead.get({ id, cursor: event, head: null, retryAt: null });
      if (!changed) throw new Error("the webhook is there");
      return toRow(changed);
    });
  }

  async deliveries(
    wallet: string,
    id: string,
    before: number | null,
    limit: number,
  ): Promise<DeliveryRow[] | null> {
    if (this.#statements.find.get(wallet, id) === null) return null;
    return this.#statements.log.all(id, before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  async lease(lease: WebhookLease, due: DueWebhooks): Promise<LeasedDelivery[]> {
    const now = this.#clock.now();
    const { dueOfAll, dueOfOpen, dueOfWallets } = this.#statements;
    const { which } = due;
    const bounds = {
      now,
      longestLease: now + 2 * lease.ms,
      longestPause: now + LONGEST_PAUSE_MS,
      kind: due.tests ? "test" : "replay",
      fullWallets: JSON.stringify(due.full.wallets),
      fullHosts: JSON.stringify(due.full.hosts),
      fullPaces: JSON.stringify(due.full.paces),
      limit: due.limit,
    } as const;
    const ofWallets = () => dueOfWallets.all({ ...bounds, wallets: JSON.stringify(which) });
    const webhooks =
      which === "all"
        ? dueOfAll.all(bounds)
        : which === "open"
          ? dueOfOpen.all(bounds)
          : ofWallets();
    // Reads alone if there is nothing to do: a write waits for the disk.
    if (webhooks.length === 0) return [];
    return this.#write(() =>
      webhooks.flatMap((webhook) => {
        if (!due.admits(toRow(webhook))) return [];
        const delivery = this.#begin(webhook, bounds.kind, now);
        if (delivery === null) return [];
        const { attempt, hold } = this.#statements;
        const begun = attempt.get({ id: webhook.id, number: delivery, now });
        const held = hold.get({ id: webhook.id, leaseId: lease.id, until: now + lease.ms });
        return begun && held ? [{ leaseId: lease.id, webhook: toRow(held), delivery: begun }] : [];
      }),
    );
  }

  async settle(
    { leaseId, webhook: { id }, delivery }: LeasedDelivery,
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    const { held, addWaiting, settle, setHead, free } = this.#statements;
    const now = this.#clock.now();
    return this.#write(() => {
      const webhook = held.get(id, leaseId);
      if (!webhook) return false;
      const isOver = outcome.isDelivered || outcome.retryInMs === null;
      const { isDelivered, httpStatus, problem } = outcome;
      const status = isDelivered ? "delivered" : isOver ? "failed" : "pending";
      settle.run({ id, number: delivery.number, status, httpStatus, problem });
      if (delivery.kind !== "event") addWaiting.run(-1, id);
      if (delivery.number === webhook.head) {
        const retryAt = isOver ? null : now + (outcome.retryInMs ?? 0);
        setHead.get({ id, cursor: webhook.cursor, head: isOver ? null : webhook.head, retryAt });
      }
      const failures = isDelivered ? 0 : webhook.failures + 1;
      const pace = isDelivered && !outcome.isSlow ? "prompt" : "slow";
      free.run({ id, now, failures, pace, disabledAt: outcome.disables ? now : null });
      return true;
    });
  }

  async release({ leaseId, webhook: { id }, delivery }: LeasedDelivery): Promise<void> {
    const { held, uncount, free } = this.#statements;
    this.#write(() => {
      const webhook = held.get(id, leaseId);
      if (!webhook) return;
      uncount.run(id, delivery.number);
      const { failures, pace } = webhook;
      free.run({ id, now: this.#clock.now(), failures, pace, disabledAt: null });
    });
  }

  async recover(): Promise<void> {
    this.#statements.freeAll.run();
  }

  /** @returns the number of the delivery to try; null if there is none after all */
  #begin(webhook: StoredWebhook, kind: "test" | "replay", now: number): number | null {
    const { firstWaiting, nextEvent, setHead } = this.#statements;
    const { id, wallet, cursor } = webhook;
    const waiting = webhook.waiting > 0 ? firstWaiting.get(id, kind) : null;
    if (waiting || kind === "test") return waiting?.number ?? null;
    if (webhook.head !== null) return webhook.head;
    const { event = null, last = 0 } = nextEvent.get({ wallet, cursor }) ?? {};
    if (event === null) {
      // What came after the cursor is too old and was deleted.
      setHead.get({ id, cursor: Math.max(cursor, last), head: null, retryAt: null });
      return null;
    }
    const { number } = this.#addDelivery(webhook, "event", event);
    setHead.get({ id, cursor: event, head: number, retryAt: now });
    return number;
  }

  #addDelivery(
    { id, wallet }: Pick<WebhookRow, "id" | "wallet">,
    kind: DeliveryRow["kind"],
    event: number | null,
  ): DeliveryRow {
    const { nextNumber, addDelivery, forget } = this.#statements;
    const number = nextNumber.get(id)?.number ?? 0;
    forget.run(id, number - DELIVERY_LOG);
    const added = addDelivery.get({ id, wallet, number, kind, event, now: this.#clock.now() });
    if (!added) throw new Error("an insert returns its row");
    return added;
  }

  #write<T>(work: () => T): T {
    return this.#db.transaction(work, { behavior: "immediate" });
  }
}

/** Without what only the statements need. */
function toRow({ waiting: _, ...webhook }: StoredWebhook): WebhookRow {
  return webhook;
}
