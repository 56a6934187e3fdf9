import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";

const CHECK_INTERVAL_MS = 5_000;
/** The interval while there is a problem, so that its end is noticed soon. */
const PROBLEM_INTERVAL_MS = 1_000;

type CheckedStore = Pick<Store, "findProblem">;

/** Checks every few seconds, and on demand, whether the database can be written. */
export class DatabaseMonitor {
  readonly #store: CheckedStore;
  readonly #log: Logger;
  #problem: string | null = null;
  #checking: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(store: CheckedStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Why the database cannot be written, fit for anyone to read; null if it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Checks now, and then again and again. Resolves when the database has answered. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Checks no more, and waits for the check that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#checking;
  }

  /** Never throws. */
  async #check(): Promise<void> {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const found = await this.#store.findProblem();
    const problem = found?.text ?? null;
    if (problem !== this.#problem) {
      if (found === null) this.#log.info("database writable again");
      else this.#log.error({ ...(found.cause !== null && { err: found.cause }) }, found.text);
    }
    this.#problem = problem;
    if (this.#stopped) return;
    const interval = problem === null ? CHECK_INTERVAL_MS : PROBLEM_INTERVAL_MS;
    this.#timer = setTimeout(() => void this.check(), interval);
  }
}
