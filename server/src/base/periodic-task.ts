import type { Clock } from "./clock.ts";

/** Milliseconds until a failed run is first repeated; they double with each failure in a row. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export interface PeriodicTaskOptions {
  readonly clock: Pick<Clock, "after">;
  /** Does the work once. @returns milliseconds until the next run; `Infinity` waits for `wake` */
  readonly run: () => Promise<number>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds until a failed run is repeated, at first and at most. Default: 1 s, 60 s. */
  readonly retryMs?: readonly [first: number, longest: number];
}

/**
 * Repeats work until it is stopped, one run at a time. A run begins in a later turn of the event
 * loop than the call that asks for it; several calls in one turn ask for one run.
 */
export class PeriodicTask {
  readonly #stop = new AbortController();
  #isStarted = false;
  #asked: PromiseWithResolvers<void> | null = null;
  #working: Promise<void> | null = null;
  #failures = 0;
  #cancels: (() => void)[] = [];

  constructor(private readonly task: PeriodicTaskOptions) {}

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Starts, after the delay if there is one. */
  start(delayMs = 0): void {
    this.#isStarted = true;
    if (delayMs === 0) void this.wake();
    else this.wakeIn(delayMs);
  }

  begin(): Promise<void> {
    this.start();
    return this.wake();
  }

  /** Resolves after the run, even if it throws. Does nothing before `start` and after `stop`. */
  wake(): Promise<void> {
    if (!this.#isStarted || this.signal.aborted) return Promise.resolve();
    this.#asked ??= Promise.withResolvers();
    this.#cancelWaits();
    this.#working ??= this.#work();
    return this.#asked.promise;
  }

  wakeIn(milliseconds: number): void {
    if (this.signal.aborted || milliseconds === Number.POSITIVE_INFINITY) return;
    this.#cancels.push(this.task.clock.after(milliseconds, () => void this.wake()));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancelWaits();
    await this.#working;
  }

  async #work(): Promise<void> {
    let pauseMs = Number.POSITIVE_INFINITY;
    while (this.#asked !== null) {
      await new Promise((resolve) => setImmediate(resolve));
      const { resolve } = this.#asked;
      this.#asked = null;
      if (!this.signal.aborted) pauseMs = await this.#runOnce();
      resolve();
    }
    this.#working = null;
    this.wakeIn(pauseMs);
  }

  #cancelWaits(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  async #runOnce(): Promise<number> {
    const { run, onError, retryMs = [FIRST_RETRY_MS, LONGEST_RETRY_MS] } = this.task;
    try {
      const pauseMs = await run();
      this.#failures = 0;
      return pauseMs;
    } catch (error) {
      try {
        if (!this.signal.aborted) onError(error);
      } catch {
        // A failed report must not end the work.
      }
      const [first, longest] = retryMs;
      return Math.min(longest, first * 2 ** this.#failures++);
    }
  }
}
