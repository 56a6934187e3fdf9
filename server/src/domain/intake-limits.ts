import { formatSol } from "@tokenctl/shared/sol";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { type SharePercents, sharesOf, usedUpShare } from "./shares.ts";

/** Whose launches are accepted (`ADMISSION`): everyone's, those of invited agents, or those on the allowlist. */
export const ADMISSION_MODES = ["open", "invite", "allowlist"] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** How many launches are accepted, and from whom; `Infinity` is no limit. */
export interface LaunchLimits {
  readonly admission: AdmissionMode;
  /** Agents that get a launch started in any hour, with those that wait for their first one. */
  readonly maxPerHour: number;
  readonly maxPending: number;
  readonly maxOfAgent: number;
  readonly maxOfAddress: number;
  /** What part of queue, hour and budget one address, and one network, may have. */
  readonly shares: SharePercents;
  /** Who may pay for a launch. The operator does if the request does not say. */
  readonly payers: readonly LaunchPayer[];
  /** How long an agent has to sign a launch that it pays for, in milliseconds. */
  readonly signWithinMs: number;
  /** How long a launch that ended without a token keeps its ticker, in milliseconds. */
  readonly tickerHoldMs: number;
}

export interface IntakeLimits extends LaunchLimits {
  /** What the launches of the day may cost; null for any sum. */
  readonly budget: DayBudget | null;
}

/** The day's limit on what launches may cost. */
export interface DayBudget {
  /** Lamports of a UTC day. */
  readonly maxDailyLamports: bigint;
  /** What the next launch costs, as far as is known; lamports, at least 1. */
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

/** `Infinity` is no limit, which JSON does not know. */
export function orNull(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

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

/** What a launch is about to cost, and what holds it back. Lamports. */
export interface LaunchCost {
  readonly lamports: bigint;
  readonly walletLamports: bigint;
  /** The least that must stay in the wallet after this launch and all others that are reserved. */
  readonly minWalletLamports: bigint;
  /** The most of a UTC day; null for no limit. */
  readonly maxDailyLamports: bigint | null;
}

/** What a store has booked before it sets lamports aside. */
export interface Booked {
  /** Lamports of the day, without what was set aside for this one before. */
  readonly spent: bigint;
  /** Lamports that all others have set aside. */
  readonly reserved: bigint;
  /**
   * Other launches of its address and network that came on chain today or have set lamports aside; null
   * if it counts for none.
   */
  readonly launches: { readonly address: number; readonly network: number } | null;
}

export type Reservation =
  /** @property reserved lamports that other launches have set aside */
  | { readonly kind: "reserved" | "wallet_short"; readonly reserved: bigint }
  /** @property spent lamports of the day so far */
  | { readonly kind: "day_spent"; readonly spent: bigint }
  /** Its address or its network has its share of the day. */
  | { readonly kind: "share_used" };

/** @param shares null if no share holds this expense */
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
