import { statfsSync } from "node:fs";
import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";

const CHECK_INTERVAL_MS = 5_000;
/** While something is wrong, so that its end is soon known. */
const TROUBLE_INTERVAL_MS = 1_000;
/** With less free space the next write may fail, even where the last one still found room. */
const MIN_FREE_BYTES = 4 * 1024 ** 2;

const DISK_FULL = "The disk is full: free some space, and launches are accepted again";
const LOCKED = "The database is locked by another program: end that program";
const NOT_WRITABLE = "The database cannot be written; see the server's log";

/** Finds out every few seconds, and whenever asked, whether the database takes writes. */
export class DatabaseMonitor {
  readonly #store: Pick<Store, "checkWritable">;
  readonly #directory: string;
  readonly #log: Logger;
  #problem: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  /** @param directory where the database's files are */
  constructor(store: Pick<Store, "checkWritable">, directory: string, log: Logger) {
    this.#store = store;
    this.#directory = directory;
    this.#log = log;
  }

  /** What keeps the database from being written, in words for anyone; null when nothing does. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Looks at once, and goes on by itself. */
  check(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const { problem, cause } = this.#look();
    if (problem !== this.#problem) {
      if (problem === null) this.#log.info("database writable again");
      else this.#log.error({ ...(cause !== null && { err: cause }) }, problem);
    }
    this.#problem = problem;
    const interval = problem === null ? CHECK_INTERVAL_MS : TROUBLE_INTERVAL_MS;
    this.#timer = setTimeout(() => this.check(), interval);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #look(): { problem: string | null; cause: unknown } {
    try {
      this.#store.checkWritable();
      return { problem: this.#isDiskFull() ? DISK_FULL : null, cause: null };
    } catch (cause) {
      return { problem: inWords(cause), cause };
    }
  }

  #isDiskFull(): boolean {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize < MIN_FREE_BYTES;
  }
}

function inWords(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code.startsWith("SQLITE_FULL")) return DISK_FULL;
  if (code.startsWith("SQLITE_BUSY")) return LOCKED;
  return NOT_WRITABLE;
}
