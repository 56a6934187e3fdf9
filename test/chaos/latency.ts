/** Milliseconds that reads took: the middle one, and one of a hundred takes longer than `p99`. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Reads in turn, one after the other, and tells how long they took. */
export async function measure(
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
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    Number((times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}
