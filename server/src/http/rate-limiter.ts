import type { Clock } from "../base/clock.ts";
import { SteadyTime } from "../base/steady-time.ts";

/** Microseconds: whole numbers of them add up exactly, where fractions of a millisecond drift. */
const WINDOW = 60_000_000;
/** How many tracked keys are looked at for each new one. */
const SWEEP = 8;

/** What became of one request. */
export interface Verdict {
  readonly allowed: boolean;
  /** How many more requests would be allowed now. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until there is room for one more than now. */
  readonly resetSeconds: number;
}

/**
 * Allows each key so many requests a minute, all at once or spread out: the generic cell rate
 * algorithm (ITU-T I.371, annex A, "virtual scheduling"), which keeps one number per key.
 *
 * Written here because the kept libraries (rate-limiter-flexible, elysia-rate-limit) take their
 * time from `Date.now`, answer with promises, set a timer per key or count in fixed windows, and do
 * not bound their memory.
 */
export class RateLimiter {
  readonly perMinute: number;
  readonly #time: SteadyTime;
  readonly #capacity: number;
  /** What one request costs. */
  readonly #interval: number;
  /** By key, when its allowance will be whole again ("theoretical arrival time"). */
  readonly #wholeAt = new Map<string, number>();
  #sweep: Iterator<[string, number]>;

  /**
   * @param perMinute requests a minute, 1 to 1,000,000
   * @param capacity the most keys that are tracked at once
   */
  constructor(perMinute: number, clock: Clock, capacity: number) {
    this.perMinute = perMinute;
    this.#time = new SteadyTime(clock);
    this.#capacity = capacity;
    this.#interval = Math.floor(WINDOW / perMinute);
    this.#sweep = this.#wholeAt.entries();
  }

  /** How many keys are tracked. */
  get size(): number {
    return this.#wholeAt.size;
  }

  /** Counts one request of this key; one that is not allowed costs nothing. */
  take(key: string): Verdict {
    const now = this.#time.now() * 1000;
    const known = this.#wholeAt.get(key);
    const before = known === undefined || known < now ? now : known;
    const after = before + this.#interval;
    const room = now + WINDOW - after;
    if (room < 0) return { allowed: false, remaining: 0, resetSeconds: wholeSeconds(-room) };
    if (known === undefined) this.#makeRoom(now);
    this.#wholeAt.set(key, after);
    return {
      allowed: true,
      remaining: Math.floor(room / this.#interval),
      resetSeconds: wholeSeconds(this.#interval),
    };
  }

  /**
   * Drops keys whose allowance is whole: they are as good as new. Where all are in use, the one that
   * used least of those looked at goes, so that nobody can push out a spent allowance, their own,
   * with a flood of fresh keys.
   */
  #makeRoom(now: number): void {
    let least: [string, number] | null = null;
    for (let looked = 0; looked < SWEEP; looked++) {
      const { value: entry } = this.#sweep.next();
      if (entry === undefined) this.#sweep = this.#wholeAt.entries();
      else if (entry[1] <= now) this.#wholeAt.delete(entry[0]);
      else if (least === null || entry[1] < least[1]) least = entry;
    }
    if (this.#wholeAt.size >= this.#capacity && least !== null) this.#wholeAt.delete(least[0]);
  }
}

function wholeSeconds(microseconds: number): number {
  return Math.max(1, Math.ceil(microseconds / 1_000_000));
}
