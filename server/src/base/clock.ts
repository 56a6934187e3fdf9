import { AsyncLocalStorage } from "node:async_hooks";

/** The only source of time and of timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Whole milliseconds since a fixed moment; setting the system's time does not change them. */
  elapsed(): number;
  /** Calls back once; setting the system's time has no effect. @returns cancels the call */
  after(milliseconds: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

export function sleep(
  clock: Pick<Clock, "after">,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted) resolve();
  else {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(milliseconds, end);
    signal?.addEventListener("abort", end);
  }
  return promise;
}

/** Waits at most this many milliseconds for a promise to settle. @returns whether it settled */
export async function waitAtMost(
  milliseconds: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(milliseconds, () => resolve(false));
  const ended = promise.then(
    () => true,
    () => true,
  );
  const isOver = await Promise.race([ended, late]);
  cancel();
  return isOver;
}

let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop that no other caller gets. If one answer of the chain wakes
 * many launches, they continue one by one, and the server answers requests in between.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export function utcDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

export function startOfUtcDay(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MS) * DAY_MS;
}

export function secondsToNextUtcDay(milliseconds: number): number {
  return Math.ceil((startOfUtcDay(milliseconds) + DAY_MS - milliseconds) / 1000);
}

/** Runs work that many requests share, so that it counts for none of them, not even the first. */
export const outsideRequests = AsyncLocalStorage.snapshot();

/** Milliseconds before the first retry of a failed run; doubles with each failure in a row. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export interface PeriodicTaskOptions {
  readonly clock: Pick<Clock, "after">;
  /** Does the work once. @returns milliseconds until the next run; `Infinity` waits for `wake` */
  readonly run: () => Promise<number>;
  readonly onError: (error: unknown) => void;
  /** The first and the longest delay before a retry, in milliseconds. Default: 1 s, 60 s. */
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
    this.#working ??= outsideRequests(() => this.#work());
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
      } catch {} // A failed report must not end the work.
      const [first, longest] = retryMs;
      return Math.min(longest, first * 2 ** this.#failures++);
    }
  }
}

const LEASE_MS = 60_000;

export interface Renewal {
  readonly clock: Pick<Clock, "after">;
  readonly renew: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export class Lease {
  readonly id: string = crypto.randomUUID();

  constructor(readonly ms = LEASE_MS) {}

  async during<T>(work: () => Promise<T>, { clock, renew, onError }: Renewal): Promise<T> {
    const everyMs = this.ms / 3;
    const renewing = new PeriodicTask({
      clock,
      run: async () => {
        await renew();
        return everyMs;
      },
      onError,
      retryMs: [everyMs, everyMs],
    });
    renewing.start(everyMs);
    try {
      return await work();
    } finally {
      await renewing.stop();
    }
  }
}

/** What a row stores of a lease: its id, and for how long it lasts unless it is renewed. */
export type LeaseTerms = Pick<Lease, "id" | "ms">;
