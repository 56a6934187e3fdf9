/** Requests of an attack that are under way at once. */
const TOGETHER = 50;

/** Runs `count` tasks, some at once. @returns their results in order */
export async function inTurns<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const runner = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(TOGETHER, count) }, runner));
  return results;
}
