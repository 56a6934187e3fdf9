/**
 * Keeps an upper bound of pending launches, of all or of an address or network, and counts again when
 * it reaches a limit. So nothing has to report what leaves the queue, and a launch of a transaction that
 * was undone does no harm.
 */
export class QueueRoom {
  readonly #count: () => number;
  #upperBound = Number.POSITIVE_INFINITY;

  /** @param count counts the pending launches, with those that the running transaction added */
  constructor(count: () => number) {
    this.#count = count;
  }

  /** @returns how many launches are pending, exact if it is `limit` or more */
  pending(limit: number): number {
    if (this.#upperBound >= limit) this.#upperBound = this.#count();
    return this.#upperBound;
  }

  add(): void {
    this.#upperBound++;
  }
}
