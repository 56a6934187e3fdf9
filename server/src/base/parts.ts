import { type Clock, waitAtMost } from "./clock.ts";

export interface Part {
  start?(): unknown;
  /** Also called if `start` failed. */
  stop?(): unknown;
}

/**
 * Starts the parts in order. If one fails to start, stops it and all before it.
 * @returns a function that stops the groups in reverse order, the parts of a group in parallel
 */
export async function startParts(
  groups: readonly (readonly (Part | null)[])[],
  {
    stopMs,
    clock,
    onStopError,
  }: { stopMs: number; clock: Pick<Clock, "after">; onStopError: (error: unknown) => void },
): Promise<() => Promise<void>> {
  const stack = new AsyncDisposableStack();
  const stopPart = async (part: Part) => {
    try {
      await part.stop?.();
    } catch (error) {
      onStopError(error);
    }
  };
  let stopping: Promise<unknown> | null = null;
  const stop = async () => {
    stopping ??= waitAtMost(stopMs, stack.disposeAsync(), clock);
    await stopping;
  };
  try {
    for (const group of groups) {
      const running: Part[] = [];
      stack.defer(async () => {
        await Promise.all(running.map(stopPart));
      });
      for (const part of group) {
        if (part === null) continue;
        running.push(part);
        await part.start?.();
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
