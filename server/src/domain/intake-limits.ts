import { formatSol } from "@tokenctl/shared/sol";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { type SharePercents, sharesOf } from "./shares.ts";

export const ADMISSION_MODES = ["open", "invite", "allowlist"] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** How many launches are accepted, and from which agents; `Infinity` is no limit. */
export interface LaunchLimits {
  readonly admission: AdmissionMode;
  /** At most this many agents start a launch in any hour, including those with a pending one. */
  readonly maxPerHour: number;
  readonly maxPending: number;
  readonly maxOfAgent: number;
  readonly maxOfAddress: number;
  /** The share of the queue, the hourly limit and the budget for each address and each network. */
  readonly shares: SharePercents;
  /** Who may pay for a launch; the operator pays unless the request says otherwise. */
  readonly payers: readonly LaunchPayer[];
  /** Milliseconds that an agent has to sign a launch that it pays for. */
  readonly signWithinMs: number;
  /** Milliseconds that a launch which ended without a token keeps its ticker. */
  readonly tickerHoldMs: number;
}

export interface IntakeLimits extends LaunchLimits {
  readonly budget: DayBudget | null;
}

export interface DayBudget {
  readonly maxDailyLamports: bigint;
  /** What the next launch is expected to cost; at least 1. */
  readonly launchLamports: bigint;
}

export interface LaunchBudget {
  dayBudget(): DayBudget | null;
}

export const NO_BUDGET: LaunchBudget = { dayBudget: () => null };

export const UNBOUNDED: IntakeLimits = {
  admission: "open",
  maxPerHour: Number.POSITIVE_INFINITY,
  maxPending: Number.POSITIVE_INFINITY,
  maxOfAgent: Number.POSITIVE_INFINITY,
  maxOfAddress: Number.POSITIVE_INFINITY,
  shares: { address: 0, network: 0 },
  payers: ["operator"],
  signWithinMs: 300_000,
  tickerHoldMs: 86_400_000,
  budget: null,
};

export const orNull = (limit: number) => (Number.isFinite(limit) ? limit : null);

export interface Committed {
  /** Lamports that are spent or reserved. */
  readonly lamports: bigint;
  readonly reserved: number;
}

export type LaunchShares = Pick<LaunchLimits, "maxOfAddress" | "shares">;

export function pendingLimit(
  { maxDailyLamports, launchLamports }: DayBudget,
  { lamports, reserved }: Committed,
): number {
  // The day's sum already includes the reservations.
  return Number((maxDailyLamports - lamports) / launchLamports) + reserved;
}

/** The health response mentions the budget from this percentage on. */
const TOLD_FROM_PERCENT = 80n;

/** @returns null while most of the day's budget is left */
export function describeBudget(
  { maxDailyLamports, launchLamports }: DayBudget,
  spent: bigint,
): string | null {
  if (spent * 100n < maxDailyLamports * TOLD_FROM_PERCENT) return null;
  const text = `Launches took ${formatSol(spent)} of ${formatSol(maxDailyLamports)} SOL today (MAX_DAILY_SPEND_SOL)`;
  const isSpent = spent + launchLamports > maxDailyLamports;
  return isSpent ? `${text}, which pays for no other one before 00:00 UTC` : text;
}

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

/** What a launch will cost, and the limits that it must keep, in lamports. */
export interface LaunchCost {
  readonly lamports: bigint;
  readonly walletLamports: bigint;
  /** The least that must stay in the wallet after this launch and all other reservations. */
  readonly minWalletLamports: bigint;
  /** Null for no limit. */
  readonly maxDailyLamports: bigint | null;
}

export interface Booked {
  /** Lamports of the day, without this launch's own reservation. */
  readonly spent: bigint;
  readonly reserved: bigint;
  /** Launches of its address and network that are reserved or on chain today; null if uncounted. */
  readonly launches: { readonly address: number; readonly network: number } | null;
}

export type Reservation =
  | { readonly kind: "reserved" | "wallet_short"; readonly reserved: bigint }
  | { readonly kind: "day_spent"; readonly spent: bigint }
  | { readonly kind: "share_used" };

/** @param shares null if shares do not limit this expense */
export function decideReservation(
  cost: LaunchCost,
  { spent, reserved, launches }: Booked,
  shares: LaunchShares | null,
): Reservation {
  const { lamports, walletLamports, minWalletLamports, maxDailyLamports } = cost;
  if (walletLamports - reserved < lamports + minWalletLamports) {
    return { kind: "wallet_short", reserved };
  }
  if (maxDailyLamports === null) return { kind: "reserved", reserved };
  if (spent + lamports > maxDailyLamports) return { kind: "day_spent", spent };
  if (launches === null || shares === null) return { kind: "reserved", reserved };
  const ofDay = budgetShares({ maxDailyLamports, launchLamports: lamports }, shares);
  const isUsed = launches.address >= ofDay.address || launches.network >= ofDay.network;
  return isUsed ? { kind: "share_used" } : { kind: "reserved", reserved };
}
