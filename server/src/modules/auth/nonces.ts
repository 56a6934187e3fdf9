import { randomBytes } from "node:crypto";
import { NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import bs58 from "bs58";
import type { Clock } from "../../clock.ts";
import { SteadyTime } from "../../steady-time.ts";

/**
 * The outstanding sign-in challenges, in memory: a restart forgets them, and clients ask anew.
 * A nonce is taken at most once because taking it removes it.
 */
export class NonceStore {
  readonly #time: SteadyTime;
  readonly #capacity: number;
  readonly #nonces = new Map<string, { wallet: string; expiresAt: number }>();

  /** @param capacity the most nonces that may be outstanding at once */
  constructor(clock: Clock, capacity: number) {
    this.#time = new SteadyTime(clock);
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#nonces.size;
  }

  /** @returns a nonce of 256 random bits for this wallet, or null while too many are outstanding */
  issue(wallet: string): string | null {
    const now = this.#time.now();
    this.#dropExpired(now);
    if (this.#nonces.size >= this.#capacity) return null;
    const nonce = bs58.encode(randomBytes(32));
    this.#nonces.set(nonce, { wallet, expiresAt: now + NONCE_LIFETIME_MS });
    return nonce;
  }

  /** Uses up a nonce, whoever names it. @returns whether it was outstanding for this wallet */
  take(nonce: string, wallet: string): boolean {
    const entry = this.#nonces.get(nonce);
    if (!entry) return false;
    this.#nonces.delete(nonce);
    return entry.wallet === wallet && this.#time.now() < entry.expiresAt;
  }

  /** The map keeps the order of issue, which in steady time is that of expiry. */
  #dropExpired(now: number): void {
    for (const [nonce, { expiresAt }] of this.#nonces) {
      if (expiresAt > now) return;
      this.#nonces.delete(nonce);
    }
  }
}
