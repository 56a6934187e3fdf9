/** Waits until a promise has settled, however, but no longer than so many milliseconds. */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([promise.catch(() => {}), late.promise]);
  clearTimeout(timer);
}
