import type { Clock } from "../base/clock.ts";

/** A minute in microseconds: whole numbers add up exactly, fractions of a millisecond do not. */
const WINDOW = 60_000_000;
/** How many tracked keys are checked for each new key. */
const SWEEP = 8;

/** Whether one request is allowed, and what is left. */
export interface RateDecision {
  readonly allowed: boolean;
  /** How many more requests are allowed now. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until one more request is allowed than now. */
  readonly resetSeconds: number;
}

/**
 * Allows each key a number of requests a minute, all at once or spread out, by the generic cell
 * rate algorithm (ITU-T I.371, annex A, "virtual scheduling"), which stores one number per key.
 *
 * Written here because the maintained libraries (rate-limiter-flexible, elysia-rate-limit) read
 * `Date.now`, return promises, set a timer per key or count in fixed windows, and do not bound
 * their memory.
 */
export class RateLimiter {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #capacity: number;
  /** By key, the time at which its allowance is full again ("theoretical arrival time"). */
  readonly #fullAt = new Map<string, number>();
  #sweep: Iterator<[string, number]>;

  /** @param capacity the most keys that are tracked at a time */
  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
    this.#sweep = this.#fullAt.entries();
  }

  /** How many keys are tracked. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Counts one request of this key. A refused request does not count.
   *
   * @param perMinute requests a minute, 1 to 1,000,000; if it changes, the part that a key has used stays
   */
  take(key: string, perMinute: number): RateDecision {
    // Microseconds in which a key regains one request.
    const interval = Math.floor(WINDOW / perMinute);
    const now = this.#clock.elapsed() * 1000;
    const known = this.#fullAt.get(key);
    const before = known === undefined || known < now ? now : known;
    const after = before + interval;
    const room = now + WINDOW - after;
    if (room < 0) return { allowed: false, remaining: 0, resetSeconds: wholeSeconds(-room) };
    if (known === undefined) this.#makeRoom(now);
    this.#fullAt.set(key, after);
    return {
      allowed: true,
      remaining: Math.floor(room / interval),
      resetSeconds: wholeSeconds(interval),
    };
  }

  /**
   * Drops keys whose allowance is full: a new key has the same. If the map is full of keys in use,
   * drops the least used of those checked: otherwise an attacker could reset their own spent key
   * with a flood of new keys.
   */
  #makeRoom(now: number): void {
    let least: [string, number] | null = null;
    for (let checked = 0; checked < SWEEP; checked++) {
      const { value: entry } = this.#sweep.next();
      if (entry === undefined) this.#sweep = this.#fullAt.entries();
      else if (entry[1] <= now) this.#fullAt.delete(entry[0]);
      else if (least === null || entry[1] < least[1]) least = entry;
    }
    if (this.#fullAt.size >= this.#capacity && least !== null) this.#fullAt.delete(least[0]);
  }
}

function wholeSeconds(microseconds: number): number {
  return Math.max(1, Math.ceil(microseconds / 1_000_000));
}
