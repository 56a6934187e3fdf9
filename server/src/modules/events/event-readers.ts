import type { StreamEndReason } from "@tokenctl/shared/types";
import { type Clock, PeriodicTask } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { clientOf, type Requester, SharePool, type Shares } from "../../domain/shares.ts";
import type { Store } from "../../store/store.ts";

const RETRY_SECONDS = 5;

export type WaitOutcome = "woken" | "timeout" | "ended";

export class EventReader implements Disposable {
  cursor = 0;
  endReason: StreamEndReason | null = null;
  #isWoken = false;
  #resolve: ((outcome: WaitOutcome) => void) | null = null;

  constructor(
    readonly wallet: string,
    private readonly clock: Clock,
    private readonly leave: (reader: EventReader) => void,
  ) {}

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.("woken");
  }

  end(reason: StreamEndReason): void {
    this.endReason ??= reason;
    this.#resolve?.("ended");
  }

  /** Returns at once if there were events since the last wait, so that no read misses one. */
  async wait(milliseconds: number): Promise<WaitOutcome> {
    let outcome: WaitOutcome = this.#isWoken ? "woken" : "timeout";
    if (this.endReason !== null) outcome = "ended";
    else if (!this.#isWoken) {
      const { promise, resolve } = Promise.withResolvers<WaitOutcome>();
      this.#resolve = resolve;
      const cancel = this.clock.after(milliseconds, () => resolve("timeout"));
      outcome = await promise;
      cancel();
      this.#resolve = null;
    }
    if (outcome === "woken") this.#isWoken = false;
    return outcome;
  }

  [Symbol.dispose](): void {
    this.leave(this);
    this.end("server_stopping");
  }
}

export class EventReaders {
  readonly #places: SharePool;
  readonly #ofWallet = new Map<string, Set<EventReader>>();
  #isClosed = false;
  onFirst: () => void = () => {};

  constructor(
    shares: Shares,
    private readonly clock: Clock,
  ) {
    this.#places = new SharePool(shares);
  }

  get count(): number {
    return this.#places.total;
  }

  /** The caller disposes of the reader. @throws {ServiceError} 429 or 503 if too many are open */
  open({ wallet, address }: Requester): EventReader {
    const place = this.#places.take(clientOf(wallet, address));
    if (typeof place === "string") {
      throw new ServiceError(REFUSALS[place], { retryAfterSeconds: RETRY_SECONDS });
    }
    const readers = this.#ofWallet.get(wallet) ?? new Set();
    const reader = new EventReader(wallet, this.clock, (gone) => {
      place[Symbol.dispose]();
      if (readers.delete(gone) && readers.size === 0) this.#ofWallet.delete(wallet);
    });
    this.#ofWallet.set(wallet, readers.add(reader));
    if (this.#isClosed) reader.end("server_stopping");
    if (this.count === 1) this.onFirst();
    return reader;
  }

  /** @param last the id of the wallet's newest event, if it is known */
  wake(wallet: string, last = Number.POSITIVE_INFINITY): void {
    for (const reader of this.#ofWallet.get(wallet) ?? []) {
      if (reader.cursor < last) reader.wake();
    }
  }

  endAll(): void {
    for (const readers of this.#ofWallet.values()) {
      for (const reader of readers) reader.end("server_stopping");
    }
  }

  close(): void {
    this.#isClosed = true;
    this.endAll();
  }
}

const REFUSALS = {
  agent: "too_many_streams",
  address: "share_used",
  network: "share_used",
  total: "streams_full",
} as const;

const PAUSE_MS = 50;
/** The next query finds a transaction that commits within this time of its timestamp. */
const OVERLAP_MS = 1_000;
/** A query that looks back further, every 10 seconds, finds slower ones. */
const LONG_OVERLAP_MS = 120_000;
const LONG_EVERY_MS = 10_000;

/**
 * Wakes clients for events of other servers. It queries the database only while a client waits.
 * What it finds is a hint: each client reads after its own cursor.
 */
export class ChangeWatch extends PeriodicTask {
  #askedAt = Number.POSITIVE_INFINITY;
  #lookedBackAt = 0;

  constructor(
    private readonly store: {
      readonly events: Pick<Store["events"], "changedSince">;
      readonly clock: Clock;
    },
    private readonly readers: EventReaders,
  ) {
    super({
      clock: store.clock,
      run: () => this.#ask(),
      // The database's own monitor logs it.
      onError: () => {},
    });
  }

  async #ask(): Promise<number> {
    if (this.readers.count === 0) return Number.POSITIVE_INFINITY;
    const now = this.store.clock.now();
    const isLong = Math.abs(now - this.#lookedBackAt) >= LONG_EVERY_MS;
    const since = Math.min(this.#askedAt, now) - (isLong ? LONG_OVERLAP_MS : OVERLAP_MS);
    for (const { wallet, last } of await this.store.events.changedSince(since)) {
      this.readers.wake(wallet, last);
    }
    this.#askedAt = now;
    if (isLong) this.#lookedBackAt = now;
    return PAUSE_MS;
  }
}
