import { formatSol } from "@tokenctl/shared/sol";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { type SharePercents, sharesOf, usedUpShare } from "./shares.ts";

export const ADMISSION_MODES = ["open", "invite", "allowlist"] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** How many launches are accepted, and from whom; `Infinity` is no limit. */
export interface LaunchLimits {
  readonly admission: AdmissionMode;
  /** Agents that may start a launch in any hour, including those that wait for their first one. */
  readonly maxPerHour: number;
  readonly maxPending: number;
  readonly maxOfAgent: number;
  readonly maxOfAddress: number;
  /** The share of the queue, the hour and the budget that one address, and one network, may have. */
  readonly shares: SharePercents;
  /** Who may pay for a launch; the operator does if the request does not say. */
  readonly payers: readonly LaunchPayer[];
  /** Milliseconds that an agent has to sign a launch that it pays for. */
  readonly signWithinMs: number;
  /** Milliseconds that a launch without a token keeps its ticker after it has ended. */
  readonly tickerHoldMs: number;
}

export interface IntakeLimits extends LaunchLimits {
  readonly budget: DayBudget | null;
}

export interface DayBudget {
  /** The most that launches may cost in a UTC day. */
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

export function orNull(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

export interface Committed {
  /** Lamports that were spent or are set aside. */
  readonly lamports: bigint;
  /** How many pending launches have set lamports aside. */
  readonly reserved: number;
}

export type LaunchShares = Pick<LaunchLimits, "maxOfAddress" | "shares">;

export function pendingLimit(
  { maxDailyLamports, launchLamports }: DayBudget,
  { lamports, reserved }: Committed,
): number {
  // What they have set aside is in the day's sum already.
  return Number((maxDailyLamports - lamports) / launchLamports) + reserved;
}

/** The health answer mentions the budget from this percentage on. */
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

/** What a launch will cost, and the limits that it must keep. Lamports. */
export interface LaunchCost {
  readonly lamports: bigint;
  readonly walletLamports: bigint;
  /** What must stay in the wallet after this launch and all others with a reservation. */
  readonly minWalletLamports: bigint;
  /** Null for no limit. */
  readonly maxDailyLamports: bigint | null;
}

export interface Booked {
  /** Lamports of the day, without this launch's own reservation. */
  readonly spent: bigint;
  readonly reserved: bigint;
  /** Of its address and network, that came on chain today or have a reservation; null if no share counts it. */
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
  const isUsed = usedUpShare(launches, { ...ofDay, ...UNSHARED }) !== null;
  return isUsed ? { kind: "share_used" } : { kind: "reserved", reserved };
}

const UNSHARED = { agent: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };
