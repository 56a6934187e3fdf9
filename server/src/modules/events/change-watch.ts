import type { Clock } from "../../base/clock.ts";
import { Repeating } from "../../base/repeating.ts";
import type { Store } from "../../store/store.ts";
import type { EventReaders } from "./event-readers.ts";

const PAUSE_MS = 50;
/** A transaction that commits within this time of its timestamp is found by the next question. */
const OVERLAP_MS = 1_000;
/** A slower one is found by a question that looks back further, every 10 seconds. */
const LONG_OVERLAP_MS = 120_000;
const LONG_EVERY_MS = 10_000;

/**
 * Wakes clients that wait here for events of other servers, and asks the database only while one
 * does. What it finds is a hint: each client reads its own events after its own cursor.
 */
export class ChangeWatch extends Repeating {
  #askedAt = 0;
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
    // No client was woken before the first question, so it looks back further.
    const from = this.#askedAt === 0 ? now - LONG_OVERLAP_MS : since;
    for (const { wallet, last } of await this.store.events.changedSince(from)) {
      this.readers.wake(wallet, last);
    }
    this.#askedAt = now;
    if (isLong) this.#lookedBackAt = now;
    return PAUSE_MS;
  }
}
