/**
 * Tells whether the queue has room for one more launch. Keeps an upper bound of pending launches;
 * counts again when it reaches the limit. So nothing has to report what leaves the queue. A
 * launch that was counted but not stored (taken ticker, undone transaction) does no harm.
 */
export class QueueRoom {
  readonly #count: () => number;
  #upperBound = Number.POSITIVE_INFINITY;

  /** @param count counts the pending launches, with those that the running transaction added */
  constructor(count: () => number) {
    this.#count = count;
  }

  /** @returns whether one more launch may be added; if so, it is counted */
  take(max: number): boolean {
    if (this.#upperBound >= max) this.#upperBound = this.#count();
    if (this.#upperBound >= max) return false;
    this.#upperBound++;
    return true;
  }
}
