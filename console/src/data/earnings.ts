import type { ClaimRecord, PaidClaim, Token } from "@tokenctl/sdk";
import { lamportsToSol, solToLamports } from "@tokenctl/shared/sol";

/** Returns a token's claimable lamports of curve and pool together. */
export const claimableOf = ({ claimableSOL }: ClaimRecord): bigint => solToLamports(claimableSOL);

/** Returns a token's claimed lamports of curve and pool together. */
export const claimedOf = ({ dbcClaimedFees, lpClaimedFees }: ClaimRecord): bigint =>
  solToLamports(dbcClaimedFees) + solToLamports(lpClaimedFees);

export const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n);

type Paid = Pick<PaidClaim, "claimedAt" | "claimedLamports">;

const DAY_MS = 86_400_000;
/** Maximum number of bars that are easy to tell apart; with more days, a bar has several. */
const MOST = 60;
const LEAST = 7;

/** Returns when the wallet launched its first token; `Infinity` if others launched all of them. */
export function beginOf(tokens: readonly Pick<Token, "deployedAt" | "launchedBy">[]): number {
  const own = tokens.filter(({ launchedBy }) => launchedBy === undefined);
  return Math.min(...own.map(({ deployedAt }) => Date.parse(deployedAt)));
}

/** Times in Unix milliseconds. */
type Span = Readonly<Record<"begun" | "now", number>>;

/** Returns when the first token was launched or the first claim was paid. */
const firstOf = (claims: readonly Paid[], { begun, now }: Span) =>
  Math.min(begun, now, ...claims.map(({ claimedAt }) => Date.parse(claimedAt)));

/**
 * Sums what was paid on each UTC day. The last bar also has what is claimable now, because no
 * record says when it was earned.
 *
 * @param days the number of days up to now; null for all
 * @returns the start of each bar in Unix milliseconds, the SOL paid and the SOL claimable
 */
export function earnedByDay(
  claims: readonly Paid[],
  claimable: bigint,
  span: Span & { readonly days: number | null },
): readonly { readonly from: number; readonly values: readonly [paid: number, open: number] }[] {
  const dayOf = (time: number) => Math.floor(time / DAY_MS);
  const today = dayOf(span.now);
  const count = span.days ?? Math.max(LEAST, today - dayOf(firstOf(claims, span)) + 1);
  const step = Math.ceil(count / MOST);
  const bars = Math.ceil(count / step);
  const first = today - bars * step + 1;
  const paid = new Map<number, bigint>();
  for (const { claimedAt, claimedLamports } of claims) {
    const bar = Math.floor((dayOf(Date.parse(claimedAt)) - first) / step);
    paid.set(bar, (paid.get(bar) ?? 0n) + BigInt(claimedLamports));
  }
  return Array.from({ length: bars }, (_, bar) => ({
    from: (first + bar * step) * DAY_MS,
    values: [lamportsToSol(paid.get(bar) ?? 0n), bar === bars - 1 ? lamportsToSol(claimable) : 0],
  }));
}

/** Returns the average SOL per day; null within the first day, when an average says nothing. */
export function earnedPerDay(claims: readonly Paid[], earned: bigint, span: Span): number | null {
  const days = (span.now - firstOf(claims, span)) / DAY_MS;
  return days < 1 ? null : lamportsToSol(earned) / days;
}
