/**
 * Whether the queue has room for one more launch. It knows a number that is never below that of the
 * pending ones, and counts them only once that number reaches the bound: what leaves the queue need
 * not be reported here, and what was counted in vain (a ticker taken, a transaction undone) does no
 * harm.
 */
export class QueueRoom {
  readonly #count: () => number;
  #atMost = Number.POSITIVE_INFINITY;

  /** @param count counts what is pending, what the running transaction added included */
  constructor(count: () => number) {
    this.#count = count;
  }

  /** @returns whether another launch may be added; if so it is counted */
  take(max: number): boolean {
    if (this.#atMost >= max) this.#atMost = this.#count();
    if (this.#atMost >= max) return false;
    this.#atMost++;
    return true;
  }
}
