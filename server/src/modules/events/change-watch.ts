import type { Clock } from "../../base/clock.ts";
import type { EventStore } from "../../store/event-store.ts";
import type { EventReaders } from "./event-readers.ts";

/** Milliseconds between two questions. */
const PAUSE_MS = 50;
/** Milliseconds until the next question after one that failed. */
const FAILED_MS = 1_000;
/** A transaction that took its time so many milliseconds before it ended is found soon … */
const OVERLAP_MS = 1_000;
/** … and one that took longer is found by a question that looks back further, every so often. */
const LONG_OVERLAP_MS = 120_000;
const LONG_EVERY_MS = 10_000;

/**
 * Wakes the clients that wait at this server for events that other servers add. It asks the database only
 * while somebody waits. What it finds is a hint: each client reads its own wallet's events after its own
 * cursor.
 */
export class ChangeWatch {
  readonly #events: Pick<EventStore, "changedSince">;
  readonly #clock: Clock;
  readonly #readers: EventReaders;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #isStopped = false;
  #askedAt = 0;
  #lookedBackAt = 0;

  constructor(
    { events, clock }: { events: Pick<EventStore, "changedSince">; clock: Clock },
    readers: EventReaders,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#readers = readers;
  }

  /** Begins to ask, if it does not ask already. */
  start(): void {
    if (this.#isStopped || this.#isAsking) return;
    this.#isAsking = true;
    void this.#askOn();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Never throws. */
  async #askOn(): Promise<void> {
    if (this.#isStopped || this.#readers.count === 0) {
      this.#isAsking = false;
      return;
    }
    let pause = PAUSE_MS;
    try {
      await this.#ask();
    } catch {
      // The database's own monitor logs it.
      pause = FAILED_MS;
    }
    this.#timer = setTimeout(() => void this.#askOn(), pause);
  }

  async #ask(): Promise<void> {
    const now = this.#clock.now();
    const isLong = Math.abs(now - this.#lookedBackAt) >= LONG_EVERY_MS;
    const since = Math.min(this.#askedAt, now) - (isLong ? LONG_OVERLAP_MS : OVERLAP_MS);
    // At the first question all is read that a client reads: before that it was not woken.
    const from = this.#askedAt === 0 ? now - LONG_OVERLAP_MS : since;
    for (const { wallet, last } of await this.#events.changedSince(from)) {
      this.#readers.wake(wallet, last);
    }
    this.#askedAt = now;
    if (isLong) this.#lookedBackAt = now;
  }
}
