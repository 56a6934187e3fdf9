import type { PaidClaim, Token } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";

type Paid = Pick<PaidClaim, "claimedAt" | "claimedLamports">;

const DAY_MS = 86_400_000;

/** What was earned in all, at the times at which that is known. */
export interface Growth {
  /** Milliseconds since the Unix epoch, ascending. */
  readonly times: readonly number[];
  /** SOL. */
  readonly values: readonly number[];
}

/** @returns what was paid in all after each claim */
export function paidOverTime(claims: readonly Paid[]): Growth {
  let paid = 0n;
  const sums = new Map<number, number>();
  // Claims of one time are one step.
  for (const { claimedAt, claimedLamports } of claims.toReversed()) {
    paid += BigInt(claimedLamports);
    sums.set(Date.parse(claimedAt), lamportsToSol(paid));
  }
  return { times: [...sums.keys()], values: [...sums.values()] };
}

/** @returns when the wallet launched its first token; `Infinity` if others have launched all that it has */
export function beginOf(tokens: readonly Pick<Token, "deployedAt" | "launchedBy">[]): number {
  const own = tokens.filter(({ launchedBy }) => launchedBy === undefined);
  return Math.min(...own.map(({ deployedAt }) => Date.parse(deployedAt)));
}

/** @returns what was earned from the first token on: nothing at first, what was paid at each payout, all now */
export function earnedOverTime(
  claims: readonly Paid[],
  claimable: bigint,
  { begun, now }: { readonly begun: number; readonly now: number },
): Growth {
  const { times, values } = paidOverTime(claims);
  const start = Math.min(begun, times[0] ?? now, now);
  const all = (values.at(-1) ?? 0) + lamportsToSol(claimable);
  return {
    times: [start, ...times, Math.max(now, times.at(-1) ?? now)],
    values: [0, ...values, all],
  };
}

/** @returns SOL a day on average; null within the first day, whose average says nothing */
export function earnedPerDay({ times, values }: Growth): number | null {
  const days = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / DAY_MS;
  return days < 1 ? null : (values.at(-1) ?? 0) / days;
}
