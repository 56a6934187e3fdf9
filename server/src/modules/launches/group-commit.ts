/**
 * Commits writes that arrive in the same turn of the event loop in one transaction: a commit that
 * waits for the disk costs the same for one row as for hundreds. A write's promise resolves only
 * when its transaction is on the disk.
 */
export class GroupCommit<Item, Outcome> {
  readonly #commit: (batch: readonly Item[]) => readonly Outcome[];
  #waiting: { item: Item; deferred: PromiseWithResolvers<Outcome> }[] = [];

  /** @param commit writes a batch synchronously and durably; returns one outcome per item, in order */
  constructor(commit: (batch: readonly Item[]) => readonly Outcome[]) {
    this.#commit = commit;
  }

  /** @returns the item's outcome when it is on the disk; rejects with what the commit threw */
  add(item: Item): Promise<Outcome> {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    const deferred = Promise.withResolvers<Outcome>();
    this.#waiting.push({ item, deferred });
    return deferred.promise;
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = this.#commit(batch.map(({ item }) => item));
      batch.forEach(({ deferred }, index) => {
        deferred.resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      for (const { deferred } of batch) deferred.reject(error);
    }
  }
}
