import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

/**
 * Syncs a database's write-ahead log to the disk without blocking this thread. Commits only write
 * the log (`synchronous = NORMAL`); one sync in the thread pool covers all commits before it. A
 * commit may be reported to others only after its sync.
 */
export class LogSync {
  readonly #file: number;
  #written = 0;
  #synced = 0;
  #running: Promise<void> | null = null;
  #failure: { readonly cause: unknown } | null = null;

  /**
   * Syncs what an earlier process may have left in the log.
   *
   * @param path the log, which stays the same file while the database is open
   */
  constructor(path: string) {
    this.#file = openSync(path, "r+");
    fdatasyncSync(this.#file);
  }

  /** Call it after each commit. */
  wrote(): void {
    this.#written += 1;
  }

  /**
   * Waits until everything committed so far is on the disk.
   *
   * @returns null if it is there already
   * @throws {Error} if a sync ever failed: nobody knows which part of the log is on the disk
   */
  whenSynced(): Promise<void> | null {
    return this.#failure === null && this.#synced === this.#written
      ? null
      : this.#until(this.#written);
  }

  /** Syncs the rest of the log. */
  close(): void {
    try {
      fdatasyncSync(this.#file);
      this.#synced = this.#written;
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
    // `close` may have synced it meanwhile, and closed the file under this sync.
    if (covered <= this.#synced) return;
    if (error === null) this.#synced = covered;
    // No second try: it may succeed though the kernel has dropped the failed pages.
    else this.#failure = { cause: error };
  }
}
