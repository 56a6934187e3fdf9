/** A signal that fires when the caller's does, or when time runs out. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out before the caller's signal fired. */
  isOver(): boolean;
  /** Call it when the bounded work has ended, whether it succeeded or failed. */
  end(): void;
}

/**
 * Starts a deadline. `end` removes its listener from the caller's signal, which may live as long as
 * the process; `AbortSignal.any` does not do that on Node 20.
 *
 * @param timeoutMs undefined for no time limit
 */
export function startDeadline(timeoutMs: number | undefined, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const onAbort = () => controller.abort(signal?.reason);
  const onTime = () => {
    isOver = !controller.signal.aborted;
    controller.abort();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTime, timeoutMs);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
