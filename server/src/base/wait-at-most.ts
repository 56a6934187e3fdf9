import { type Clock, systemClock } from "./clock.ts";

/** Waits until a promise resolves or rejects, but at most this many milliseconds. @returns whether it did */
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
