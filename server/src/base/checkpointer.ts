import { waitAtMost } from "./clock.ts";

const STOP_MS = 2_000;

interface ProblemLog {
  warn(fields: { readonly problem: string }, text: string): void;
  error(fields: { readonly problem: string }, text: string): void;
}

/**
 * Copies commits from the database's write-ahead log into its file, in a thread of its own. Inside
 * a commit, the copy would block all requests for 20 ms or more with a million launches. Commits do
 * not depend on it, because the log is on the disk.
 */
export class Checkpointer {
  readonly #thread: Worker;
  readonly #stopped = Promise.withResolvers<void>();

  constructor(path: string, log: ProblemLog) {
    this.#thread = new Worker(new URL("./checkpointer-thread.ts", import.meta.url));
    this.#thread.unref();
    this.#thread.onmessage = ({ data: problem }: MessageEvent<string | null>) => {
      if (problem === null) this.#stopped.resolve();
      else log.warn({ problem }, "cannot copy the database's log into its file now; tries again");
    };
    this.#thread.onerror = ({ message }) => {
      log.error(
        { problem: message },
        "the checkpointer ended; from now on commits copy the database's log themselves",
      );
      this.#stopped.resolve();
    };
    this.#thread.postMessage(path);
  }

  /** Closes the database, so that its last user leaves no log behind. */
  async stop(): Promise<void> {
    this.#thread.postMessage(null);
    await waitAtMost(STOP_MS, this.#stopped.promise);
    this.#thread.terminate();
  }
}
