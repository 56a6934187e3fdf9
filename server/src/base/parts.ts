import { waitAtMost } from "./wait-at-most.ts";

/** What runs as long as the program does. */
export interface Part {
  start?(): unknown;
  /** Also called if the start failed. */
  stop?(): unknown;
}

/**
 * Starts parts one after another. If one fails, it and those before it stop.
 *
 * @param stopMs how long a stop may take in all, in milliseconds
 * @returns a function that stops all parts in reverse order, each once the other is over
 */
export async function startParts(
  parts: readonly (Part | null)[],
  stopMs: number,
): Promise<() => Promise<void>> {
  const started = new AsyncDisposableStack();
  const stop = async () => void (await waitAtMost(stopMs, started.disposeAsync()));
  try {
    for (const part of parts) {
      started.defer(async () => void (await part?.stop?.()));
      await part?.start?.();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** @returns parts as one, which start one after another and stop at the same time; it is over once all are */
export function together(...parts: readonly (Part | null)[]): Part {
  return {
    async start() {
      for (const part of parts) await part?.start?.();
    },
    stop: () => Promise.allSettled(parts.map(async (part) => part?.stop?.())),
  };
}
