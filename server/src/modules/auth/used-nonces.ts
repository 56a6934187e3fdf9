/** Remembers which nonces were used. Servers that share one accept each nonce once in all. */
export interface UsedNonces {
  /**
   * Uses a nonce up.
   *
   * @param id unique to the nonce
   * @param expiresAt milliseconds of the caller's time; from then on the caller refuses the nonce,
   * and it can be forgotten
   * @param now the caller's time now
   * @returns whether this was the nonce's first use
   */
  use(id: string, expiresAt: number, now: number): boolean;
}

/** The used nonces of one process, each until it expires. */
export class UsedNoncesInMemory implements UsedNonces {
  /** Expiries by nonce, in the order of use. */
  readonly #expiries = new Map<string, number>();

  get size(): number {
    return this.#expiries.size;
  }

  use(id: string, expiresAt: number, now: number): boolean {
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
