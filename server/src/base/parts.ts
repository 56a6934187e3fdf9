import { waitAtMost } from "./clock.ts";

export interface Part {
  start?(): unknown;
  /** Also called if its start failed. */
  stop?(): unknown;
}

export interface PartsOptions {
  readonly stopMs: number;
  readonly onStopError: (error: unknown) => void;
}

/**
 * @returns stops the groups in reverse order, the parts of a group together. If one fails, all before it stop
 */
export async function startParts(
  groups: readonly (readonly (Part | null)[])[],
  { stopMs, onStopError }: PartsOptions,
): Promise<() => Promise<void>> {
  const started: Part[][] = [];
  const stopPart = async (part: Part) => {
    try {
      await part.stop?.();
    } catch (error) {
      onStopError(error);
    }
  };
  const stopAll = async () => {
    for (const group of started.reverse()) await Promise.all(group.map(stopPart));
  };
  let stopping: Promise<unknown> | null = null;
  const stop = async () => {
    stopping ??= waitAtMost(stopMs, stopAll());
    await stopping;
  };
  try {
    for (const group of groups) {
      const running: Part[] = [];
      started.push(running);
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
