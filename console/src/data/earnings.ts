import type { ClaimRecord, PaidClaim } from "@tokenctl/sdk";
import { lamportsToSol, solToLamports } from "@tokenctl/shared/sol";

export const claimableOf = ({ claimableSOL }: ClaimRecord): bigint => solToLamports(claimableSOL);

/** Returns a token's claimed lamports of curve and pool together. */
export const claimedOf = ({ dbcClaimedFees, lpClaimedFees }: ClaimRecord): bigint =>
  solToLamports(dbcClaimedFees) + solToLamports(lpClaimedFees);

export const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n);

const DAY_MS = 86_400_000;
const LEAST = 7;

/**
 * Sums what was paid on each UTC day.
 * @param now Unix milliseconds
 * @param days the number of days up to now; null for all
 * @returns the start of each day in Unix milliseconds, and the SOL paid on it
 */
export function earnedByDay(
  claims: readonly Pick<PaidClaim, "claimedAt" | "claimedLamports">[],
  now: number,
  days: number | null,
): readonly { readonly from: number; readonly paid: number }[] {
  const dayOf = (time: number) => Math.floor(time / DAY_MS);
  const paid = new Map<number, bigint>();
  for (const { claimedAt, claimedLamports } of claims) {
    const day = dayOf(Date.parse(claimedAt));
    paid.set(day, (paid.get(day) ?? 0n) + BigInt(claimedLamports));
  }
  const today = dayOf(now);
  const count = days ?? Math.max(LEAST, today - Math.min(today, ...paid.keys()) + 1);
  return Array.from({ length: count }, (_, n) => {
    const day = today - count + 1 + n;
    return { from: day * DAY_MS, paid: lamportsToSol(paid.get(day) ?? 0n) };
  });
}
