import { Lease, PeriodicTask, sleep } from "../../base/clock.ts";
import { type Client, SharePool, type Shares, usedUpShare } from "../../domain/shares.ts";
import type { Store } from "../../store/store.ts";
import type { DueWebhooks, LeasedDelivery, WebhookPace, WebhookRow } from "../../store/webhooks.ts";

const BATCH = 16;
/** Minimum milliseconds from a free place to the next search for webhooks that found none. */
const SEARCH_AGAIN_MS = 100;
/** The pause as a multiple of what the last search of all webhooks took. */
const REST = 9;

const clientOf = ({ wallet, host }: WebhookRow) => ({ agent: wallet, network: host });
/** The fraction of all places, and of a host's, for receivers that are not prompt. */
const OF_NEW_AND_SLOW = 0.75;
/** The same for slow receivers. */
const OF_SLOW = 0.5;
const PACES = ["new", "prompt", "slow"] as const satisfies readonly WebhookPace[];

/**
 * Begins attempts as places become free. No agent and no host can take all places. Slow receivers
 * leave some for new ones, and both leave some for prompt ones.
 */
export class DeliveryPool {
  readonly #places: SharePool;
  readonly #poolsOf: Readonly<Record<WebhookPace, readonly SharePool[]>>;
  readonly #inFlight = new Set<Promise<void>>();
  #hinted = new Set<string>();
  #mustSearch: "open" | "all" | null = null;
  #willSearch = false;
  #lastSearchMs = 0;
  readonly #looking: PeriodicTask;

  constructor(
    private readonly deps: {
      readonly store: Store;
      /** Shares of the running attempts. A receiver's host has the share of a network. */
      readonly shares: Shares;
      readonly leaseMs: number | undefined;
      readonly attempt: (leased: LeasedDelivery) => Promise<void>;
    },
  ) {
    const all = new SharePool(deps.shares);
    const newAndSlow = new SharePool(partOf(deps.shares, OF_NEW_AND_SLOW));
    const slow = new SharePool(partOf(deps.shares, OF_SLOW));
    this.#places = all;
    this.#poolsOf = { prompt: [all], new: [all, newAndSlow], slow: [all, newAndSlow, slow] };
    this.#looking = new PeriodicTask({
      clock: deps.store.clock,
      run: () => this.#look(),
      // The database's own monitor logs it. It is not known which webhooks were missed.
      onError: () => {
        this.#mustSearch = "all";
      },
    });
  }

  start(): void {
    this.#looking.start();
  }

  wake(wallet: string): void {
    this.#hinted.add(wallet);
    void this.#looking.wake();
  }

  search(which: "open" | "all"): void {
    if (which === "all") this.#mustSearch = "all";
    this.#mustSearch ??= "open";
    void this.#looking.wake();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  get #hasWork(): boolean {
    return this.#mustSearch !== null || this.#hinted.size > 0;
  }

  get #free(): number {
    return this.#places.shares.total - this.#places.total;
  }

  /** Looks while there are places. The end of an attempt causes the next look. */
  async #look(): Promise<number> {
    const { signal } = this.#looking;
    while (this.#hasWork && !signal.aborted && this.#free > 0) {
      const which = this.#takeNext();
      if (await this.#lease(which)) this.#putBack(which);
    }
    return Number.POSITIVE_INFINITY;
  }

  async #lease(which: DueWebhooks["which"]): Promise<boolean> {
    const { store, leaseMs } = this.deps;
    const limit = Math.min(this.#free, BATCH);
    const admitted = new Map<string, Disposable>();
    let refused = 0;
    const admits = (webhook: WebhookRow) => {
      if (admitted.has(webhook.id)) return true;
      const place = this.#take(webhook);
      if (place) admitted.set(webhook.id, place);
      else refused++;
      return place !== null;
    };
    try {
      const lease = new Lease(leaseMs);
      const due = { which, full: this.#full, limit, admits };
      const began = store.clock.elapsed();
      const leased = await store.webhooks.lease(lease, due);
      if (which === "all") this.#lastSearchMs = store.clock.elapsed() - began;
      for (const delivery of leased) {
        const place = admitted.get(delivery.webhook.id);
        admitted.delete(delivery.webhook.id);
        if (place) this.#begin(delivery, place);
      }
      return leased.length === limit || refused > 0;
    } finally {
      for (const place of admitted.values()) place[Symbol.dispose]();
    }
  }

  #take(webhook: WebhookRow): Disposable | null {
    const places = new DisposableStack();
    for (const pool of this.#poolsOf[webhook.pace]) {
      const place = pool.take(clientOf(webhook));
      if (typeof place === "string") {
        places.dispose();
        return null;
      }
      places.use(place);
    }
    return places;
  }

  get #full(): DueWebhooks["full"] {
    return {
      wallets: this.#places.full("agent"),
      paces: PACES.filter((pace) => this.#poolsOf[pace].some((pool) => isFull(pool, {}))),
      hosts: PACES.flatMap((pace) => {
        const hosts = new Set(this.#poolsOf[pace].flatMap((pool) => pool.full("network")));
        return [...hosts].map((host) => `${pace} ${host}` as const);
      }),
    };
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

  #putBack(due: DueWebhooks["which"]): void {
    if (due === "all") this.#mustSearch = due;
    else if (due === "open") this.#mustSearch ??= due;
    else for (const wallet of due) this.#hinted.add(wallet);
  }

  #begin(leased: LeasedDelivery, place: Disposable): void {
    const { webhook } = leased;
    const ended = this.deps.attempt(leased).finally(() => {
      // Others may wait for this place, so the same webhook does not get it again at once.
      const pools = this.#poolsOf[webhook.pace];
      const isWanted = pools.some((pool) => isFull(pool, { network: webhook.host }));
      place[Symbol.dispose]();
      this.#inFlight.delete(ended);
      if (isWanted) this.#searchSoon();
      else this.wake(webhook.wallet);
    });
    this.#inFlight.add(ended);
  }

  /** Waits, because a search reads all webhooks, while every other call of SQLite waits for it. */
  #searchSoon(): void {
    if (this.#willSearch) return;
    this.#willSearch = true;
    const pauseMs = Math.max(SEARCH_AGAIN_MS, REST * this.#lastSearchMs);
    void sleep(this.deps.store.clock, pauseMs, this.#looking.signal).then(() => {
      this.#willSearch = false;
      this.search("all");
    });
  }
}

function isFull(pool: SharePool, client: Client): boolean {
  return usedUpShare(pool.used(client), pool.shares) !== null;
}

function partOf(shares: Shares, part: number): Shares {
  const { total, network } = shares;
  return { ...shares, total: Math.ceil(total * part), network: Math.ceil(network * part) };
}
