import { outsideRequests } from "./clock.ts";

interface Waiting<Item, Outcome> extends PromiseWithResolvers<Outcome> {
  readonly item: Item;
}

/** The most turns of the event loop for which a commit waits for more writes. */
const MAX_TURNS = 4;

/**
 * Commits writes that arrive together in one transaction: a commit costs the same for one row as
 * for hundreds. Writes that arrive during a commit form the next one. A write's promise resolves
 * only once the write is on the disk.
 */
export class GroupCommit<Item, Outcome> {
  readonly #waiting: Waiting<Item, Outcome>[] = [];
  #isBusy = false;

  constructor(
    private readonly commit: (batch: readonly Item[]) => Promise<readonly Outcome[]>,
    private readonly maxBatch: number,
  ) {}

  add(item: Item): Promise<Outcome> {
    const waiting = { item, ...Promise.withResolvers<Outcome>() };
    this.#waiting.push(waiting);
    this.#schedule();
    return waiting.promise;
  }

  #schedule(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    outsideRequests(() => this.#whenQuiet(1));
  }

  /** Commits after a turn without writes: requests that arrive together take several turns. */
  #whenQuiet(turn: number): void {
    const before = this.#waiting.length;
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length > before && length < this.maxBatch && turn < MAX_TURNS) {
        this.#whenQuiet(turn + 1);
      } else void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, this.maxBatch);
    try {
      const outcomes = await this.commit(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#isBusy = false;
      this.#schedule();
    }
  }
}
