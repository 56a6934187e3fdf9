/** Launches that were pending when they were counted, and the last number drawn before. */
interface Count {
  readonly depth: number;
  readonly drawn: number;
}

/**
 * Whether the queue has room, exact with any number of servers, and mostly without counting it. The rest
 * of the day's budget is a limit on pending launches too.
 *
 * Each launch draws a number of the sequence `launches_seq_seq` before it is stored, also if it is
 * refused then. So not more launches are pending than were counted, and numbers drawn since. Only
 * if that bound exceeds the limit they are counted again, alone: all who draw hold the lock of the
 * queue until they have committed, shared; who counts holds it exclusively. (A row that holds the
 * depth would make all commits of all servers wait for each other.)
 */
export class QueueRoom {
  #counted: Count | null = null;

  /** @returns whether the next transaction must count, so must hold the lock exclusively */
  get mustCount(): boolean {
    return this.#counted === null;
  }

  /** @returns whether at most `max` launches are pending after the last number was drawn */
  isBelow(max: number, lastDrawn: number): boolean {
    if (this.#counted === null) return false;
    const { depth, drawn } = this.#counted;
    // Numbers go backwards if a standby takes over that had not received all.
    return lastDrawn > drawn && depth + lastDrawn - drawn <= max;
  }

  /** Remembers a count; of the transaction that holds the lock exclusively. */
  counted(depth: number, drawn: number): void {
    this.#counted = { depth, drawn };
  }

  forget(): void {
    this.#counted = null;
  }
}
