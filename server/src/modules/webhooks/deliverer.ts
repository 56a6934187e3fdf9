import type { Logger } from "pino";
import { VERSION } from "../../base/version.ts";
import { waitAtMost } from "../../base/wait-at-most.ts";
import type { EventRow } from "../../store/event-store.ts";
import type { Store } from "../../store/store.ts";
import type {
  AttemptOutcome,
  DueWebhooks,
  LeasedDelivery,
  WebhookRow,
} from "../../store/webhook-store.ts";
import type { PostOutcome, ReceiverClient } from "./post.ts";
import { nextPause } from "./retry-schedule.ts";
import { signedHeaders } from "./signature.ts";

/** Milliseconds in which a receiver must answer. */
const TIMEOUT_MS = 15_000;
/** Attempts under way at most. */
const SLOTS = 256;
/** Those of receivers whose last attempt failed: they cannot take the slots of the others. */
const FAILING_SLOTS = 128;
/** Attempts that one call of the store begins at most. */
const BATCH = 16;
/** How long a server holds a webhook, in milliseconds: longer than an attempt. */
const LEASE_MS = 60_000;
/** Milliseconds between two searches for attempts that are due; an idle server asks nothing else. */
const SEARCH_MS = 10_000;
/** Every so many of them look also for events of which nobody has told: of servers that have died. */
const FULL_SEARCH_EVERY = 3;
/** How long attempts under way may take to end once the server stops, in milliseconds. */
const LAST_ATTEMPTS_MS = 1_000;

export interface DelivererOptions {
  readonly store: Pick<Store, "webhooks" | "events" | "clock">;
  readonly client: Pick<ReceiverClient, "post">;
  /** Returns an event as clients see it. */
  readonly toWire: (event: EventRow) => object;
  readonly log: Logger;
  /** Tests give others. */
  readonly timeoutMs?: number;
  readonly leaseMs?: number;
  readonly slots?: { readonly all: number; readonly failing: number };
}

/** What is sent. */
interface Message {
  readonly id: string;
  readonly body: string;
}

/**
 * Sends the deliveries that are due. Of each webhook one at a time, so that a slow receiver delays only
 * itself; and of all, at most so many, of which failing ones cannot take all.
 */
export class Deliverer {
  readonly #store: DelivererOptions["store"];
  readonly #client: DelivererOptions["client"];
  readonly #toWire: DelivererOptions["toWire"];
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #leaseMs: number;
  readonly #slots: { readonly all: number; readonly failing: number };
  readonly #stop = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #failingInFlight = 0;
  /** Wallets that may have something to send. */
  #hinted = new Set<string>();
  /** Which search to make next; null for none. */
  #mustSearch: "open" | "all" | null = null;
  #searches = 0;
  #looking: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Those of retries that are due before the next search. */
  readonly #retries = new Set<ReturnType<typeof setTimeout>>();
  #isStopped = false;

  constructor(options: DelivererOptions) {
    this.#store = options.store;
    this.#client = options.client;
    this.#toWire = options.toWire;
    this.#log = options.log;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#slots = options.slots ?? { all: SLOTS, failing: FAILING_SLOTS };
  }

  /** Frees the webhooks of an earlier process, and begins to send. */
  async start(): Promise<void> {
    await this.#store.webhooks.recover();
    this.#search();
  }

  /** Says that there may be something to send for a wallet. */
  wake(wallet: string): void {
    this.#hinted.add(wallet);
    this.#look();
  }

  /** Begins no more attempts, and ends those under way; what was interrupted is sent again later. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const retry of this.#retries) clearTimeout(retry);
    await this.#looking;
    await waitAtMost(LAST_ATTEMPTS_MS, Promise.all(this.#inFlight));
    this.#stop.abort();
    await Promise.all(this.#inFlight);
  }

  #search(): void {
    if (this.#isStopped) return;
    if (this.#searches++ % FULL_SEARCH_EVERY === 0) this.#mustSearch = "all";
    this.#mustSearch ??= "open";
    this.#look();
    // Tests shorten the time-out, and wait for searches.
    this.#timer = setTimeout(() => this.#search(), Math.min(SEARCH_MS, this.#timeoutMs));
  }

  #look(): void {
    if (this.#isStopped || this.#looking) return;
    this.#looking = this.#lookOn().finally(() => {
      this.#looking = null;
      // What came in after the last look.
      if (this.#hasWork && this.#inFlight.size < this.#slots.all) this.#look();
    });
  }

  get #hasWork(): boolean {
    return this.#mustSearch !== null || this.#hinted.size > 0;
  }

  /** Never throws. */
  async #lookOn(): Promise<void> {
    while (this.#hasWork && !this.#isStopped) {
      const free = this.#slots.all - this.#inFlight.size;
      if (free <= 0) return;
      const which = this.#takeNext();
      const freeForFailing = this.#slots.failing - this.#failingInFlight;
      const healthyOnly = freeForFailing <= 0;
      // All of them may be failing.
      const limit = Math.min(free, BATCH, healthyOnly ? BATCH : freeForFailing);
      try {
        const lease = { id: crypto.randomUUID(), ms: this.#leaseMs };
        const leased = await this.#store.webhooks.lease(lease, { which, healthyOnly, limit });
        for (const delivery of leased) this.#begin(delivery);
        // There may be more.
        if (leased.length === limit) this.#putBack(which);
      } catch {
        // The database's own monitor logs it. The next search looks at all again.
        this.#searches = 0;
      }
    }
  }

  #takeNext(): DueWebhooks["which"] {
    if (this.#hinted.size > 0) {
      const wallets = [...this.#hinted];
      this.#hinted = new Set();
      return wallets;
    }
    const which = this.#mustSearch ?? "open";
    this.#mustSearch = null;
    return which;
  }

  #putBack(which: DueWebhooks["which"]): void {
    if (which === "all") this.#mustSearch = which;
    else if (which === "open") this.#mustSearch ??= which;
    else for (const wallet of which) this.#hinted.add(wallet);
  }

  #begin(leased: LeasedDelivery): void {
    const isFailing = leased.webhook.failures > 0;
    if (isFailing) this.#failingInFlight++;
    const attempt = this.#attempt(leased).finally(() => {
      this.#inFlight.delete(attempt);
      if (isFailing) this.#failingInFlight--;
      // The webhook's next event; and others, if all slots were taken.
      this.wake(leased.webhook.wallet);
    });
    this.#inFlight.add(attempt);
  }

  /** Later retries are found by a search. */
  #retryIn(milliseconds: number | null, wallet: string): void {
    if (milliseconds === null || milliseconds > 2 * SEARCH_MS || this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.wake(wallet);
    }, milliseconds);
    this.#retries.add(timer);
  }

  /** Never throws. */
  async #attempt(leased: LeasedDelivery): Promise<void> {
    const { webhook, delivery } = leased;
    const about = { webhook: webhook.id, wallet: webhook.wallet, delivery: delivery.number };
    const { webhooks } = this.#store;
    try {
      const message = await this.#messageOf(leased);
      const answer = message
        ? await this.#send(webhook, message)
        : { problem: "the event is not kept any more" };
      // Interrupted, or just late: in doubt it is sent again.
      if (this.#stop.signal.aborted && "problem" in answer) return await webhooks.release(leased);
      const outcome = outcomeOf(leased, answer, message !== null);
      await webhooks.settle(leased, outcome);
      this.#retryIn(outcome.retryInMs, webhook.wallet);
      if (outcome.disables) this.#log.info(about, "webhook disabled: its receiver answered 410");
    } catch (error) {
      // The lease runs out, and the attempt is made again.
      this.#log.warn({ ...about, err: error }, "webhook delivery not recorded");
    }
  }

  #send(webhook: WebhookRow, { id, body }: Message): Promise<PostOutcome> {
    const now = this.#store.clock.now();
    const keys = [webhook.key];
    if (webhook.oldKey && (webhook.oldKeyUntil ?? 0) > now) keys.push(webhook.oldKey);
    const headers = {
      "content-type": "application/json",
      "user-agent": `tokend/${VERSION}`,
      ...signedHeaders({ id, timestamp: Math.floor(now / 1000), body }, keys),
    };
    const { signal } = this.#stop;
    return this.#client.post(webhook.url, headers, body, { timeoutMs: this.#timeoutMs, signal });
  }

  /** @returns null if the event was deleted meanwhile */
  async #messageOf({ webhook, delivery }: LeasedDelivery): Promise<Message | null> {
    const { wallet, id } = webhook;
    if (delivery.event === null) {
      const timestamp = new Date(delivery.createdAt).toISOString();
      const body = { type: "webhook.test", timestamp, data: { webhookId: id } };
      return { id: `${id}-test-${delivery.number}`, body: JSON.stringify(body) };
    }
    const read = await this.#store.events.read(wallet, delivery.event - 1, 1);
    const event = read.kind === "events" ? read.events[0] : undefined;
    // Of the event, not of the attempt: a receiver knows by it what it has had already.
    return event
      ? { id: `${wallet}-${event.id}`, body: JSON.stringify(this.#toWire(event)) }
      : null;
  }
}

function outcomeOf(
  { delivery }: LeasedDelivery,
  answer: PostOutcome,
  mayRetry: boolean,
): AttemptOutcome {
  const httpStatus = "status" in answer ? answer.status : null;
  const isDelivered = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  const disables = httpStatus === 410;
  const isTriedOnce = delivery.kind !== "event" || disables || !mayRetry;
  return {
    httpStatus,
    problem: "problem" in answer ? answer.problem : null,
    isDelivered,
    disables,
    retryInMs: isTriedOnce ? null : nextPause(delivery.attempts),
  };
}
