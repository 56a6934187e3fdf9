import { AbortError } from "../errors.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out before the caller's signal fired. */
  isOver(): boolean;
  /** Replaces the remaining time; without a time there is no limit until the next restart. */
  restart(limitMs?: number): void;
  end(): void;
  abort(): void;
}

/** `end` removes its listener from the signal, which `AbortSignal.any` does not do on Node 20. */
export function startDeadline(timeoutMs: number | undefined, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const onAbort = () => controller.abort(signal?.reason);
  const onTime = () => {
    isOver = !controller.signal.aborted;
    controller.abort();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = (limitMs?: number) => {
    clearTimeout(timer);
    timer = limitMs === undefined ? undefined : setTimeout(onTime, limitMs);
  };
  restart(timeoutMs);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    restart,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
    abort: () => controller.abort(),
  };
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new AbortError(signal.reason));
    const onAbort = () => {
      clearTimeout(timer);
      reject(new AbortError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
