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

/** Resolves after this many milliseconds, or early if the signal aborts. */
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
