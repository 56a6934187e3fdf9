import type { UsedNonces } from "../used-nonces.ts";

/** The used nonces of one process, each until it expires: a restart ends all nonces of a process. */
export class UsedNoncesInMemory implements UsedNonces {
  /** Expiries by nonce, in the order of use. */
  readonly #expiries = new Map<string, number>();

  get size(): number {
    return this.#expiries.size;
  }

  async use(id: string, expiresAt: number, now: number): Promise<boolean> {
    this.#dropExpired(now);
    if (this.#expiries.has(id)) return false;
    this.#expiries.set(id, expiresAt);
    return true;
  }

  /** Stops at the first that has not expired: one that was used later may expire earlier, and is dropped late. */
  #dropExpired(now: number): void {
    for (const [id, expiresAt] of this.#expiries) {
      if (expiresAt > now) return;
      this.#expiries.delete(id);
    }
  }
}
