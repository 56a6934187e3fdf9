import type { Logger } from "pino";
import { PeriodicTask, waitAtMost } from "../../base/clock.ts";
import { VERSION } from "../../base/version.ts";
import { type SharePercents, sharesOf } from "../../domain/shares.ts";
import type { EventRow } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import type { AttemptOutcome, LeasedDelivery, WebhookRow } from "../../store/webhooks.ts";
import { DeliveryPool } from "./delivery-pool.ts";
import type { PostOutcome, ReceiverClient } from "./post.ts";
import { signedHeaders } from "./signature.ts";

const TIMEOUT_MS = 15_000;
const SLOTS = 256;
const SLOW_MS = 1_000;
/** Milliseconds between two searches for due attempts. An idle server queries nothing else. */
const SEARCH_MS = 10_000;
/** Every third search also looks for missed events. */
const FULL_SEARCH_EVERY = 3;
const LAST_ATTEMPTS_MS = 1_000;

export interface DelivererOptions {
  readonly store: Store;
  readonly client: ReceiverClient;
  readonly toWire: (event: EventRow) => object;
  readonly log: Logger;
  readonly maxOfAgent: number;
  readonly shares: SharePercents;
  /** Milliseconds that a server holds a webhook: longer than an attempt. Tests shorten it. */
  readonly leaseMs?: number | undefined;
  readonly slots?: number;
}

interface Message {
  readonly id: string;
  readonly body: string;
}

/** Delivers events and tests, one at a time for each webhook. */
export class Deliverer {
  readonly #pool: DeliveryPool;
  readonly #stop = new AbortController();
  #searches = 0;
  readonly #searching: PeriodicTask;

  constructor(private readonly options: DelivererOptions) {
    const of = sharesOf(options.slots ?? SLOTS, options.maxOfAgent, options.shares);
    this.#pool = new DeliveryPool({
      store: options.store,
      // An agent without a limit may use as much as a host.
      shares: { ...of, agent: Math.min(of.agent, of.network) },
      leaseMs: options.leaseMs,
      attempt: (leased) => this.#attempt(leased),
    });
    this.#searching = new PeriodicTask({
      clock: options.store.clock,
      run: () => this.#search(),
      onError: (error) => options.log.error({ err: error }, "webhooks were not searched"),
    });
  }

  async start(): Promise<void> {
    await this.options.store.webhooks.recover();
    this.#pool.start();
    this.#searching.start();
  }

  wake(wallet: string): void {
    this.#pool.wake(wallet);
  }

  /** Begins no more attempts, and ends running ones. Interrupted attempts are sent again later. */
  async stop(): Promise<void> {
    await this.#searching.stop();
    await this.#pool.stop();
    const ended = this.#pool.idle();
    await waitAtMost(LAST_ATTEMPTS_MS, ended, this.options.store.clock);
    this.#stop.abort();
    await ended;
  }

  async #search(): Promise<number> {
    this.#pool.search(this.#searches++ % FULL_SEARCH_EVERY === 0 ? "all" : "open");
    return SEARCH_MS;
  }

  async #attempt(leased: LeasedDelivery): Promise<void> {
    const { webhook, delivery } = leased;
    const about = { webhook: webhook.id, wallet: webhook.wallet, delivery: delivery.number };
    const { webhooks, clock } = this.options.store;
    try {
      const message = await this.#messageOf(leased);
      const began = clock.now();
      const answer = message
        ? await this.#send(webhook, message)
        : { problem: "the event is not kept any more" };
      // Interrupted, or just late: if in doubt, it is sent again.
      if (this.#stop.signal.aborted && "problem" in answer) return await webhooks.release(leased);
      const isSlow = clock.now() - began > SLOW_MS;
      const outcome = outcomeOf(leased, answer, { mayRetry: message !== null, isSlow });
      await webhooks.settle(leased, outcome);
    } catch (error) {
      // The lease expires, and the attempt is made again.
      this.options.log.warn({ ...about, err: error }, "webhook delivery not recorded");
    }
  }

  #send(webhook: WebhookRow, { id, body }: Message): Promise<PostOutcome> {
    const { clock } = this.options.store;
    const now = clock.now();
    const headers = {
      "content-type": "application/json",
      "user-agent": `tokend/${VERSION}`,
      ...signedHeaders({ id, timestamp: Math.floor(now / 1000), body }, webhook.key),
    };
    const options = { clock, timeoutMs: TIMEOUT_MS, signal: this.#stop.signal };
    return this.options.client.post(webhook.url, { headers, body }, options);
  }

  async #messageOf({ webhook, delivery }: LeasedDelivery): Promise<Message | null> {
    const { wallet, id } = webhook;
    if (delivery.event === null) {
      const timestamp = new Date(delivery.createdAt).toISOString();
      const body = { type: "webhook.test", timestamp, data: { webhookId: id } };
      return { id: `${id}-test-${delivery.number}`, body: JSON.stringify(body) };
    }
    const read = await this.options.store.events.read(wallet, delivery.event - 1, 1);
    const event = read.kind === "events" ? read.events[0] : undefined;
    if (!event) return null;
    // Identifies the event, not the attempt; with its time, as a restored database repeats numbers.
    const body = JSON.stringify(this.options.toWire(event));
    return { id: `${wallet}-${event.id}-${event.createdAt}`, body };
  }
}

function outcomeOf(
  { delivery }: LeasedDelivery,
  answer: PostOutcome,
  { mayRetry, isSlow }: { readonly mayRetry: boolean; readonly isSlow: boolean },
): AttemptOutcome {
  const httpStatus = "status" in answer ? answer.status : null;
  const isDelivered = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  const isTriedOnce = delivery.kind !== "event" || !mayRetry;
  return {
    httpStatus,
    problem: "problem" in answer ? answer.problem : null,
    isDelivered,
    isSlow,
    retryInMs: isTriedOnce ? null : nextPause(delivery.attempts),
  };
}

/** Seconds before the second attempt and later ones: 5 s to 24 hours, as in Standard Webhooks. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

export function nextPause(attempts: number): number | null {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? null : pause * 1_000;
}
