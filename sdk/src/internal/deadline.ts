/** A signal that fires with the caller's, or when time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out before the caller's signal fired. */
  isOver(): boolean;
  /** Call it when what it bounds has ended, one way or another. */
  end(): void;
}

/**
 * Starts a deadline. Once ended it lets go of the caller's signal, which may live as long as the
 * process; `AbortSignal.any` does not on Node 20.
 *
 * @param timeoutMs undefined for a deadline that never comes
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
