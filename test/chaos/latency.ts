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

/** Does all reads in each round, one after the other. @returns how long they took */
export async function measureReads(
  reads: readonly (() => Promise<unknown>)[],
  rounds: number,
): Promise<Latency> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const read of reads) {
      const started = performance.now();
      await read();
      times.push(performance.now() - started);
    }
  }
  return latencyOf(times);
}
