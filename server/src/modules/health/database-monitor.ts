import { statfsSync } from "node:fs";
import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";

const CHECK_INTERVAL_MS = 5_000;
/** The interval while there is a problem, so that its end is noticed soon. */
const PROBLEM_INTERVAL_MS = 1_000;
/** With less free space the next write may fail, even if the last one succeeded. */
const MIN_FREE_BYTES = 4 * 1024 ** 2;

const DISK_FULL = "The disk is full: free some space, and launches are accepted again";
const LOCKED = "The database is locked by another program: end that program";
const NOT_WRITABLE = "The database cannot be written; see the server's log";

type WritableStore = Pick<Store, "checkWritable">;

/** Checks every few seconds, and on demand, whether the database can be written. */
export class DatabaseMonitor {
  readonly #store: WritableStore;
  readonly #directory: string;
  readonly #log: Logger;
  #problem: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  /** @param directory the directory of the database's files */
  constructor(store: WritableStore, directory: string, log: Logger) {
    this.#store = store;
    this.#directory = directory;
    this.#log = log;
  }

  /** Why the database cannot be written, fit for anyone to read; null if it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Checks now, and then again and again. */
  check(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const { problem, cause } = this.#checkOnce();
    if (problem !== this.#problem) {
      if (problem === null) this.#log.info("database writable again");
      else this.#log.error({ ...(cause !== null && { err: cause }) }, problem);
    }
    this.#problem = problem;
    const interval = problem === null ? CHECK_INTERVAL_MS : PROBLEM_INTERVAL_MS;
    this.#timer = setTimeout(() => this.check(), interval);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #checkOnce(): { problem: string | null; cause: unknown } {
    try {
      this.#store.checkWritable();
      return { problem: this.#isDiskFull() ? DISK_FULL : null, cause: null };
    } catch (cause) {
      return { problem: problemOf(cause), cause };
    }
  }

  #isDiskFull(): boolean {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize < MIN_FREE_BYTES;
  }
}

function problemOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code.startsWith("SQLITE_FULL")) return DISK_FULL;
  if (code.startsWith("SQLITE_BUSY")) return LOCKED;
  return NOT_WRITABLE;
}
