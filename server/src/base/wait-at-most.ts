/** Waits until a promise resolves or rejects, but at most so many milliseconds. */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([promise.catch(() => {}), late.promise]);
  clearTimeout(timer);
}
