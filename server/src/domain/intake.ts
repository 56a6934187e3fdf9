import type { LaunchStatusName } from "@tokenctl/shared/types";
import {
  type AdmissionMode,
  budgetShares,
  type Committed,
  type IntakeLimits,
  type LaunchLimits,
  pendingLimit,
} from "./intake-limits.ts";
import { clientOf, type ShareLevel, sharesOf, usedUpShare } from "./shares.ts";

export interface Standing {
  readonly isBlocked: boolean;
  readonly isAllowed: boolean;
  readonly isInvited: boolean;
}

export const UNKNOWN_WALLET: Standing = { isBlocked: false, isAllowed: false, isInvited: false };

type AdmissionRefusal =
  | "wallet_blocked"
  | "invite_required"
  | "invite_invalid"
  | "not_on_allowlist";

function admissionRefusal(
  { isBlocked, isAllowed, isInvited }: Standing,
  mode: AdmissionMode,
  isInviteGood: boolean | null,
): AdmissionRefusal | null {
  if (isBlocked) return "wallet_blocked";
  if (mode === "open" || isAllowed) return null;
  if (mode === "allowlist") return "not_on_allowlist";
  if (isInvited) return null;
  if (isInviteGood === null) return "invite_required";
  return isInviteGood ? null : "invite_invalid";
}

export function needsInvite({ isAllowed, isInvited }: Standing, mode: AdmissionMode): boolean {
  return mode === "invite" && !isAllowed && !isInvited;
}

/** Reasons that are found outside the database. */
export type Objection = "paused" | "agent_balance_low";

export type Refusal =
  | Objection
  | AdmissionRefusal
  | "agent_launch_limit"
  | "address_launch_limit"
  | "queue_share_used"
  | "hour_share_used"
  | "launch_rate_limit"
  | "budget_share_used"
  | "daily_budget_spent"
  | "queue_full"
  | "ticker_taken";

export interface IntakeRequest {
  /** Empty if no launch is stored, only asked about. */
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string | null;
  readonly address: string | null;
  readonly now: number;
  readonly isRetry: boolean;
  /** For the agent's limit: of retries only those of agent-paid launches that were never signed. */
  readonly isCounted: boolean;
  readonly isPaidByAgent: boolean;
  readonly inviteHash: string | null;
  readonly objections: readonly Objection[];
}

type CountedLevel = Exclude<ShareLevel, "agent">;

/** An agent that started a launch in the last hour, or waits to, and where its request came from. */
export interface HourPlace {
  readonly wallet: string;
  readonly address: string | null;
  readonly network: string | null;
}

export interface HourPlaces {
  readonly isAmong: boolean;
  readonly used: Readonly<Partial<Record<CountedLevel, number>>>;
}

export interface TickerOwner {
  readonly eventId: string;
  readonly wallet: string;
  readonly status: LaunchStatusName;
  /** Null if it is pending or has succeeded. */
  readonly endedAt: number | null;
}

/** What the database says about a request. Facts that no limit needs may be 0. */
export interface IntakeFacts {
  readonly standing: Standing;
  readonly isInviteGood: boolean | null;
  readonly ofAgent: number;
  readonly ofAddress: number;
  /** Pending launches that the operator pays for. */
  readonly pending: Readonly<Record<CountedLevel, number>>;
  /** Pending launches that agents pay for: they have shares of their own, of the same size. */
  readonly ofAgents: Readonly<Record<CountedLevel, number>>;
  readonly launched: Readonly<Record<"address" | "network", number>>;
  readonly places: HourPlaces;
  readonly spending: Committed;
  readonly tickerOwner: TickerOwner | null;
}

/** The first refusal is the answer. A pending launch counts as if it had spent its part of the budget. */
export function decide(
  request: IntakeRequest,
  facts: IntakeFacts,
  limits: IntakeLimits,
): readonly Refusal[] {
  const { address, isRetry, isPaidByAgent } = request;
  const pending = isPaidByAgent ? facts.ofAgents : facts.pending;
  const levels = address === null ? [] : (["address", "network"] as const);
  const isTaken = isTickerHeld(facts.tickerOwner, request.now, limits);
  const refusals: readonly (Refusal | false | null)[] = [
    isRetry && isTaken && "ticker_taken",
    ...request.objections,
    admissionRefusal(facts.standing, limits.admission, facts.isInviteGood),
    request.isCounted && facts.ofAgent >= limits.maxOfAgent && "agent_launch_limit",
    address !== null && facts.ofAddress >= limits.maxOfAddress && "address_launch_limit",
    levels.some((level) => isShareUsed(level, pending[level], limits)) && "queue_share_used",
    hourRefusal(facts.places, limits),
    isPaidByAgent ? null : budgetRefusal(levels, facts, limits),
    pending.total >= limits.maxPending && "queue_full",
    !isRetry && isTaken && "ticker_taken",
  ];
  return refusals.filter((refusal) => refusal !== false && refusal !== null);
}

export function isTickerHeld(
  owner: TickerOwner | null,
  now: number,
  { tickerHoldMs }: Pick<LaunchLimits, "tickerHoldMs">,
): boolean {
  return owner !== null && (owner.endedAt === null || owner.endedAt > now - tickerHoldMs);
}

function isShareUsed(level: "address" | "network", pending: number, limits: LaunchLimits): boolean {
  const { maxPending, maxOfAgent, shares } = limits;
  const share = sharesOf(maxPending, maxOfAgent, shares)[level];
  // A share as large as the whole is no share.
  return share < maxPending && pending >= share;
}

function hourRefusal({ isAmong, used }: HourPlaces, limits: LaunchLimits): Refusal | null {
  const { maxPerHour, shares } = limits;
  if (isAmong || maxPerHour === Number.POSITIVE_INFINITY) return null;
  if ((used.total ?? 0) >= maxPerHour) return "launch_rate_limit";
  return usedUpShare(used, sharesOf(maxPerHour, 1, shares)) === null ? null : "hour_share_used";
}

function budgetRefusal(
  levels: readonly ("address" | "network")[],
  { pending, launched, spending }: IntakeFacts,
  limits: IntakeLimits,
): Refusal | null {
  if (limits.budget === null) return null;
  if (pending.total >= pendingLimit(limits.budget, spending)) return "daily_budget_spent";
  const ofDay = budgetShares(limits.budget, limits);
  const isUsed = levels.some((level) => pending[level] >= ofDay[level] - launched[level]);
  return isUsed ? "budget_share_used" : null;
}

export function maxPendingOf({ maxPending, budget }: IntakeLimits, spending: Committed): number {
  return budget === null ? maxPending : Math.min(maxPending, pendingLimit(budget, spending));
}

export function hourPlaces(
  places: Iterable<HourPlace>,
  wallet: string,
  address: string | null,
): HourPlaces {
  const { network } = clientOf(wallet, address);
  // An agent counts once, for each address that it launches from.
  const all = new Set<string>();
  const ofAddress = new Set<string>();
  const ofNetwork = new Set<string>();
  for (const place of places) {
    all.add(place.wallet);
    if (place.address === address) ofAddress.add(place.wallet);
    if (place.network === network) ofNetwork.add(place.wallet);
  }
  const used = { address: ofAddress.size, network: ofNetwork.size, total: all.size };
  return { isAmong: all.has(wallet), used: address === null ? { total: used.total } : used };
}
