/** How far this machine's clock may differ from the cluster's, in seconds. */
const MAX_SKEW_SECONDS = 5;

/**
 * @param now of this machine, in milliseconds since the Unix epoch
 * @param clusterSeconds the cluster's time, in seconds since then
 * @returns what is wrong and what to do; null if the clocks agree
 */
export function clockProblem(now: number, clusterSeconds: number): string | null {
  const skew = Math.round(now / 1_000 - clusterSeconds);
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return null;
  const side = skew > 0 ? "ahead of" : "behind";
  return `This machine's clock is ${Math.abs(skew)} s ${side} the cluster's: set it by NTP, unless the cluster has halted`;
}
