import type { StreamEndReason } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";

/** Seconds after which a client that may not wait can ask again. */
const RETRY_SECONDS = 5;

/** The bounds of {@link EventReaders}; `Infinity` is no limit. */
export interface ReaderLimits {
  readonly maxStreamsOfAgent: number;
  readonly maxStreams: number;
}

export type WaitOutcome = "woken" | "timeout" | "ended";

/** One client that waits for events of a wallet. */
export class EventReader implements Disposable {
  readonly wallet: string;
  /** The id of the last event that it has read. */
  cursor = 0;
  readonly #leave: (reader: EventReader) => void;
  #endReason: StreamEndReason | null = null;
  #isWoken = false;
  #resolve: ((outcome: WaitOutcome) => void) | null = null;

  constructor(wallet: string, leave: (reader: EventReader) => void) {
    this.wallet = wallet;
    this.#leave = leave;
  }

  /** Why the client must go; null if it may stay. */
  get endReason(): StreamEndReason | null {
    return this.#endReason;
  }

  /** Says that there may be new events. */
  wake(): void {
    this.#isWoken = true;
    this.#resolve?.("woken");
  }

  end(reason: StreamEndReason): void {
    this.#endReason ??= reason;
    this.#resolve?.("ended");
  }

  /**
   * Waits until there may be new events: also if they came since the last wait ended. So what is read
   * after a wait, and before the next one, misses none.
   */
  async wait(milliseconds: number): Promise<WaitOutcome> {
    let outcome: WaitOutcome = this.#isWoken ? "woken" : "timeout";
    if (this.#endReason !== null) outcome = "ended";
    else if (!this.#isWoken && milliseconds > 0) {
      const { promise, resolve } = Promise.withResolvers<WaitOutcome>();
      this.#resolve = resolve;
      const timer = setTimeout(resolve, milliseconds, "timeout");
      outcome = await promise;
      clearTimeout(timer);
      this.#resolve = null;
    }
    if (outcome === "woken") this.#isWoken = false;
    return outcome;
  }

  [Symbol.dispose](): void {
    this.#leave(this);
    this.end("server_stopping");
  }
}

/** All clients that wait for events at this server: at most so many, in all and of each agent. */
export class EventReaders {
  readonly #limits: ReaderLimits;
  readonly #ofWallet = new Map<string, Set<EventReader>>();
  #count = 0;
  #isClosed = false;
  /** Called when the first client begins to wait. */
  onFirst: () => void = () => {};

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  /** How many clients wait. */
  get count(): number {
    return this.#count;
  }

  /**
   * Admits a client; the caller disposes of it.
   *
   * @throws {ServiceError} 429 `too_many_streams` or 503 `streams_full`
   */
  open(wallet: string): EventReader {
    const readers = this.#ofWallet.get(wallet) ?? new Set();
    const { maxStreamsOfAgent, maxStreams } = this.#limits;
    if (readers.size >= maxStreamsOfAgent) {
      throw new ServiceError("too_many_streams", {
        retryAfterSeconds: RETRY_SECONDS,
        advice: `An agent may have ${maxStreamsOfAgent}.`,
      });
    }
    if (this.#count >= maxStreams) {
      throw new ServiceError("streams_full", { retryAfterSeconds: RETRY_SECONDS });
    }
    const reader = new EventReader(wallet, (gone) => this.#remove(gone));
    this.#ofWallet.set(wallet, readers.add(reader));
    this.#count++;
    if (this.#isClosed) reader.end("server_stopping");
    if (this.#count === 1) this.onFirst();
    return reader;
  }

  /** Says that a wallet may have new events. @param last the id of its newest event, if it is known */
  wake(wallet: string, last = Number.POSITIVE_INFINITY): void {
    for (const reader of this.#ofWallet.get(wallet) ?? []) {
      if (reader.cursor < last) reader.wake();
    }
  }

  /** Ends all clients that wait now. */
  endAll(): void {
    for (const readers of this.#ofWallet.values()) {
      for (const reader of readers) reader.end("server_stopping");
    }
  }

  /** Ends all clients, and from now on each at once. */
  close(): void {
    this.#isClosed = true;
    this.endAll();
  }

  #remove(reader: EventReader): void {
    const readers = this.#ofWallet.get(reader.wallet);
    if (!readers?.delete(reader)) return;
    this.#count--;
    if (readers.size === 0) this.#ofWallet.delete(reader.wallet);
  }
}
