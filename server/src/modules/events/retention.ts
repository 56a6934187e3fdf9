import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import type { EventStore } from "../../store/event-store.ts";

/** Milliseconds between two cleanings. */
const EVERY_MS = 600_000;
/** Events that one transaction deletes at most, and milliseconds until the next. */
const STEP = 1_000;
const PAUSE_MS = 100;

/** Deletes events that are too old, in small steps. */
export class EventRetention {
  readonly #events: Pick<EventStore, "forget">;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #log: Logger;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** @param retentionMs `Infinity` keeps all events */
  constructor(
    { events, clock }: { events: Pick<EventStore, "forget">; clock: Clock },
    retentionMs: number,
    log: Logger,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    this.#log = log;
  }

  /** Cleans now, and again and again. */
  start(): void {
    if (Number.isFinite(this.#retentionMs)) void this.#cleanOn();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Deletes one step. @returns whether there is more to delete */
  async cleanOnce(): Promise<boolean> {
    const before = this.#clock.now() - this.#retentionMs;
    return (await this.#events.forget(before, STEP)) === STEP;
  }

  /** Never throws. */
  async #cleanOn(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.cleanOnce();
    } catch (error) {
      this.#log.warn({ err: error }, "old events not deleted");
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#cleanOn(), hasMore ? PAUSE_MS : EVERY_MS);
  }
}
