import type { Logger } from "pino";
import { Repeating } from "../../base/repeating.ts";
import type { Store } from "../../store/store.ts";

const CHECK_INTERVAL_MS = 5_000;
/** The interval while there is a problem, so that its end is noticed soon. */
const PROBLEM_INTERVAL_MS = 1_000;

export class DatabaseMonitor {
  readonly #store: Pick<Store, "findProblem" | "clock">;
  readonly #log: Logger;
  readonly #checking: Repeating;
  #problem: string | null = null;

  constructor(store: Pick<Store, "findProblem" | "clock">, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#checking = new Repeating({
      clock: store.clock,
      run: () => this.#check(),
      onError: (error) => log.error({ err: error }, "the database was not checked"),
    });
  }

  /** Why the database cannot be written, fit for anyone to read; null if it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Checks now, and from then on every few seconds. Resolves when the database has answered. */
  check(): Promise<void> {
    this.#checking.start();
    return this.#checking.wake();
  }

  stop(): Promise<void> {
    return this.#checking.stop();
  }

  async #check(): Promise<number> {
    const found = await this.#store.findProblem();
    const problem = found?.text ?? null;
    if (problem !== this.#problem) {
      if (found === null) this.#log.info("database writable again");
      else this.#log.error({ ...(found.cause !== null && { err: found.cause }) }, found.text);
    }
    this.#problem = problem;
    return problem === null ? CHECK_INTERVAL_MS : PROBLEM_INTERVAL_MS;
  }
}
