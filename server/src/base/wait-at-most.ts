import { type Clock, systemClock } from "./clock.ts";

/** Waits until a promise resolves or rejects, but at most this many milliseconds. */
export async function waitAtMost(
  milliseconds: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(milliseconds, late.resolve);
  await Promise.race([promise.catch(() => {}), late.promise]);
  cancel();
}
