/**
 * Splits an amount by whole percentages that add up to 100. Each share is rounded down, and the first gets
 * the remainder.
 *
 * @example
 * splitByShares(101n, [70, 30]); // [71n, 30n]
 */
export function splitByShares(amount: bigint, shares: readonly number[]): bigint[] {
  const parts = shares.map((share) => (amount * BigInt(share)) / 100n);
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + rest : part));
}
