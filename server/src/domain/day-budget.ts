import { formatSol } from "@tokenctl/shared/sol";
import type { DayBudget, LaunchLimits } from "./intake-limits.ts";
import { sharesOf } from "./shares.ts";

/** What today's launches have cost. */
export interface Committed {
  /** Lamports that they took or set aside. */
  readonly lamports: bigint;
  /** How many pending ones have set some aside. */
  readonly reserved: number;
}

/** What part of a day's budget the launches of one address, and one network, may take. */
export type LaunchShares = Pick<LaunchLimits, "maxOfAddress" | "shares">;

/** @returns how many launches may be pending, as far as the rest of the day's budget pays for them */
export function pendingLimit(
  { maxDailyLamports, launchLamports }: DayBudget,
  { lamports, reserved }: Committed,
): number {
  // Those that have set lamports aside are pending, and in the day's sum already.
  return Number((maxDailyLamports - lamports) / launchLamports) + reserved;
}

/** From this part of a day's budget on, in percent, its state is told. */
const TOLD_FROM_PERCENT = 80n;

/** @returns how much of a day's budget is spent; null while most of it is left */
export function describeBudget(
  { maxDailyLamports, launchLamports }: DayBudget,
  spent: bigint,
): string | null {
  if (spent * 100n < maxDailyLamports * TOLD_FROM_PERCENT) return null;
  const text = `Launches took ${formatSol(spent)} of ${formatSol(maxDailyLamports)} SOL today (MAX_DAILY_SPEND_SOL)`;
  const isSpent = spent + launchLamports > maxDailyLamports;
  return isSpent ? `${text}, which pays for no other one before 00:00 UTC` : text;
}

/** @returns how many launches of a day's budget one network, and one address, may have */
export function budgetShares(
  { maxDailyLamports, launchLamports }: DayBudget,
  { maxOfAddress, shares }: LaunchShares,
): { readonly address: number; readonly network: number } {
  const launches = Number(maxDailyLamports / launchLamports);
  const network =
    shares.network === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(1, sharesOf(launches, 1, { ...shares, address: 0 }).network);
  return { network, address: Math.min(network, maxOfAddress) };
}
