import type { Clock } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";
import { type AnswerHeaders, addItem } from "./list-header.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** The most clients that one limit tracks at a time; each takes about 150 bytes. */
const CAPACITY = 100_000;

export interface RateLimitDeps {
  readonly clock: Clock;
  /** How many servers clients may send their requests to, this one included. */
  readonly liveServers: () => number;
}

/**
 * Counts a request of a client that has not signed in, by its network address.
 *
 * @throws {ServiceError} 429 if none is left
 */
export type AddressLimit = (request: Request, headers: AnswerHeaders) => void;

export function addressLimit(
  limit: RateLimit,
  addressOf: (request: Request) => string,
): AddressLimit {
  return (request, headers) => {
    if (!limit.isOff) limit.spend(addressOf(request), headers);
  };
}

/** The least part of a limit that a server enforces: clients may well use one of many servers alone. */
const LEAST_PART = 0.5;

/**
 * A named limit that answers 429 when it is used up. Every answer says how much is left, in the
 * fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11.
 */
export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  readonly #liveServers: () => number;
  readonly #limiter: RateLimiter | null;

  /**
   * @param name what is counted, for example `agent`
   * @param perMinute 0 for no limit
   */
  constructor(name: string, perMinute: number, { clock, liveServers }: RateLimitDeps) {
    this.#name = name;
    this.#perMinute = perMinute;
    this.#liveServers = liveServers;
    this.#limiter = perMinute === 0 ? null : new RateLimiter(clock, CAPACITY);
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
    const part = Math.max(LEAST_PART, 1 / this.#liveServers());
    const perMinute = Math.ceil(this.#perMinute * part);
    const { allowed, remaining, resetSeconds } = this.#limiter.take(client, perMinute);
    // A request may count against several limits; each adds its item.
    addItem(headers, "ratelimit-policy", `"${this.#name}";q=${perMinute};w=60`);
    addItem(headers, "ratelimit", `"${this.#name}";r=${remaining};t=${resetSeconds}`);
    if (allowed) return;
    throw new ServiceError("too_many_requests", {
      retryAfterSeconds: resetSeconds,
      advice: `Try again in ${resetSeconds} s; at most ${perMinute} requests a minute are answered.`,
    });
  }
}
