/** Knows which nonces were used. Servers that share it accept each nonce once among them. */
export interface UsedNonces {
  /**
   * Uses a nonce up.
   *
   * @param id what tells it from every other
   * @param expiresAt from then on it is refused anyway and need not be known, in milliseconds of
   * the caller's time
   * @param now the same time, now
   * @returns whether this was its first use
   */
  use(id: string, expiresAt: number, now: number): boolean;
}

/** The used nonces of one process, each until it expires. */
export class UsedNoncesInMemory implements UsedNonces {
  /** When each expires, in the order of use. */
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

  /** One that was used later may expire first: it then stays for a nonce's lifetime at most. */
  #dropExpired(now: number): void {
    for (const [id, expiresAt] of this.#expiries) {
      if (expiresAt > now) return;
      this.#expiries.delete(id);
    }
  }
}
