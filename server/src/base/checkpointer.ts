/** Where is told what the thread cannot do: a logger. */
interface ProblemLog {
  warn(fields: { readonly problem: string }, text: string): void;
  error(fields: { readonly problem: string }, text: string): void;
}

/**
 * Copies what is committed from the database's write-ahead log into its file, in a thread of its
 * own. SQLite else does so within a commit, and all requests wait meanwhile: in a database of a
 * million launches 20 ms and more, a few times a second. Commits are as durable without: they are
 * in the log, and the log is on the disk.
 */
export class Checkpointer {
  readonly #thread: Worker;
  readonly #stopped = Promise.withResolvers<void>();

  /** @param path the database's file, which is open already */
  constructor(path: string, log: ProblemLog) {
    this.#thread = new Worker(new URL("./checkpointer-thread.ts", import.meta.url));
    this.#thread.unref();
    this.#thread.onmessage = ({ data: problem }: MessageEvent<string | null>) => {
      if (problem === null) this.#stopped.resolve();
      else log.warn({ problem }, "the database's log is not copied into its file for now");
    };
    this.#thread.onerror = ({ message }) => {
      log.error({ problem: message }, "commits copy the database's log from now on");
      this.#stopped.resolve();
    };
    this.#thread.postMessage(path);
  }

  /** Lets go of the file, so that whoever closes it last leaves no log behind. */
  async stop(): Promise<void> {
    this.#thread.postMessage(null);
    await this.#stopped.promise;
    this.#thread.terminate();
  }
}
