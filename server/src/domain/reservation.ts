import { budgetShares, type LaunchShares } from "./day-budget.ts";
import { usedUpShare } from "./shares.ts";

/** What a launch is about to cost, and what holds it back. Lamports. */
export interface LaunchCost {
  readonly lamports: bigint;
  /** The launch wallet's balance, read before. */
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

/**
 * Decides whether lamports are set aside.
 *
 * @param shares null if no share holds this expense
 */
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
