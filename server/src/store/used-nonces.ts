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
  use(id: string, expiresAt: number, now: number): Promise<boolean>;
}
