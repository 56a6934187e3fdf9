const SETTLING_MS = 30_000;

/**
 * Whether what a token's pool says is not judged yet after a claim or a hand-over: a node that is behind still
 * shows what was before.
 *
 * @param since when that was; null for never
 */
export function isSettling(since: number | null, now: number): boolean {
  return since !== null && now - since < SETTLING_MS;
}
