import type { Clock } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";
import { type AnswerHeaders, addItem } from "./list-header.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** The most clients that one limit tracks at a time; each takes about 150 bytes. */
const CAPACITY = 100_000;

/**
 * A named limit that answers 429 when it is used up. Every answer says how much is left, in the
 * fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11.
 */
export class RateLimit {
  readonly #name: string;
  readonly #policy: string;
  readonly #limiter: RateLimiter | null;

  /**
   * @param name what is counted, for example `agent`
   * @param perMinute 0 for no limit
   */
  constructor(name: string, perMinute: number, clock: Clock) {
    this.#name = name;
    this.#policy = `"${name}";q=${perMinute};w=60`;
    this.#limiter = perMinute === 0 ? null : new RateLimiter(perMinute, clock, CAPACITY);
  }

  /** Whether nothing is counted. */
  get isOff(): boolean {
    return this.#limiter === null;
  }

  /**
   * Counts one request of a client, and writes into the answer's headers how many are left.
   *
   * @throws {ServiceError} 429 if none is left
   */
  spend(client: string, headers: AnswerHeaders): void {
    if (this.#limiter === null) return;
    const { allowed, remaining, resetSeconds } = this.#limiter.take(client);
    // A request may count against several limits; each adds its item.
    addItem(headers, "ratelimit-policy", this.#policy);
    addItem(headers, "ratelimit", `"${this.#name}";r=${remaining};t=${resetSeconds}`);
    if (allowed) return;
    throw new ServiceError("too_many_requests", {
      retryAfterSeconds: resetSeconds,
      advice: `Try again in ${resetSeconds} s; at most ${this.#limiter.perMinute} requests a minute are answered.`,
    });
  }
}
