/** Milliseconds, rounded to hundredths. */
export interface Latency {
  /** What the work itself takes: other programs only make it slower. */
  readonly fastest: number;
  readonly p50: number;
  readonly p99: number;
}

/** @returns the value that the given share of values does not exceed, for example 0.99 */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function latencyOf(times: readonly number[]): Latency {
  const at = (share: number) => Number(percentile(times, share).toFixed(2));
  return { fastest: at(0), p50: at(0.5), p99: at(0.99) };
}

/** Does a read once in each round. @returns how long it took */
export async function measureRead(read: () => Promise<unknown>, rounds: number): Promise<Latency> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await read();
    times.push(performance.now() - started);
  }
  return latencyOf(times);
}
