/** Milliseconds, rounded to hundredths. */
interface Latency {
  /** What the work itself takes: other programs only make it slower. */
  readonly fastest: number;
  readonly p50: number;
  readonly p99: number;
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
    return Number(sorted[index]?.toFixed(2));
  };
  return { fastest: at(0), p50: at(0.5), p99: at(0.99) };
}
