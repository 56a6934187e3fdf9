import { statSync } from "node:fs";
import { waitAtMost } from "../../base/clock.ts";

/** The log size from which the log is copied: the same as for SQLite's own checkpoints. */
const MIN_LOG_BYTES = 4 * 1024 ** 2;
/** Milliseconds from a commit to its copy, together with those that follow until then. */
const DELAY_MS = 80;
const STOP_MS = 2_000;

/**
 * Copies commits from a database's write-ahead log into its file, in a thread of its own. Inside a
 * commit, the copy would block all requests for 20 ms or more with a million launches. Commits do not
 * depend on it: they are in the log, and copy it themselves once it is much longer.
 */
export class Checkpointer {
  #thread: Worker | null = null;
  #isAsked = false;
  #timer: Timer | undefined;
  readonly #stopped = Promise.withResolvers<void>();

  constructor(private readonly path: string) {}

  /** Call it after each commit. */
  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#timer = setTimeout(() => {
      const log = statSync(`${this.path}-wal`, { throwIfNoEntry: false });
      this.#isAsked = log !== undefined && log.size >= MIN_LOG_BYTES;
      if (this.#isAsked) this.#open().postMessage("copy");
    }, DELAY_MS).unref();
  }

  #open(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(new URL("./checkpointer-thread.ts", import.meta.url));
    thread.unref();
    thread.onmessage = ({ data: order }: MessageEvent<"copy" | "end">) => {
      if (order === "end") this.#stopped.resolve();
      this.#isAsked = false;
    };
    thread.postMessage(this.path);
    this.#thread = thread;
    return thread;
  }

  /** Closes the thread's connection, so that the store's own leaves no log. No commit may follow. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#thread?.postMessage("end");
    if (this.#thread) await waitAtMost(STOP_MS, this.#stopped.promise);
    this.#thread?.terminate();
  }
}
