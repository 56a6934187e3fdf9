import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

/**
 * Brings a database's write-ahead log to the disk without holding up this thread: commits only
 * write it (`synchronous = NORMAL`), and one sync, in the pool of threads, covers all that were
 * made before it began. What a commit changed may be told to nobody before that.
 */
export class LogSync {
  readonly #file: number;
  #written = 0;
  #synced = 0;
  #running: Promise<void> | null = null;
  #failure: { readonly cause: unknown } | null = null;
  #isClosed = false;

  /**
   * Syncs what an earlier process may have left there.
   *
   * @param path the log, which stays the same file for as long as the database is open
   */
  constructor(path: string) {
    this.#file = openSync(path, "r+");
    fdatasyncSync(this.#file);
  }

  /** To be called after each commit. */
  wrote(): void {
    this.#written += 1;
  }

  /**
   * Waits until all that was committed so far is on the disk.
   *
   * @returns null when it is there already
   * @throws {Error} the disk failed once: what it has of the log is not known any more
   */
  whenSynced(): Promise<void> | null {
    return this.#failure === null && this.#synced === this.#written
      ? null
      : this.#until(this.#written);
  }

  /** Syncs what is not synced yet. */
  close(): void {
    this.#isClosed = true;
    try {
      fdatasyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  async #until(target: number): Promise<void> {
    while (this.#failure !== null || this.#synced < target) {
      if (this.#failure !== null) {
        throw new Error("the ledger could not be written to the disk", this.#failure);
      }
      this.#running ??= this.#sync();
      await this.#running;
    }
  }

  async #sync(): Promise<void> {
    const covered = this.#written;
    const error = await new Promise<Error | null>((resolve) => fdatasync(this.#file, resolve));
    this.#running = null;
    // Closing has synced it.
    if (error === null || this.#isClosed) this.#synced = covered;
    // A second try may succeed though the pages are lost: the kernel has dropped them.
    else this.#failure = { cause: error };
  }
}
