import type { LaunchStatusName } from "@tokenctl/shared/types";
import {
  type AdmissionMode,
  budgetShares,
  type Committed,
  type IntakeLimits,
  type LaunchLimits,
  pendingLimit,
} from "./intake-limits.ts";
import { holderOf, type ShareLevel, sharesOf, usedUpShare } from "./shares.ts";

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

/** @returns why the operator does not serve an agent, or null; the allowlist needs no invite */
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

/** Whether an agent that is admitted by an invite redeems it with its launch. */
export function needsInvite({ isAllowed, isInvited }: Standing, mode: AdmissionMode): boolean {
  return mode === "invite" && !isAllowed && !isInvited;
}

/** Why no launch of an agent is accepted, whatever the database says. */
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
  /** Of the launch; empty if it is only asked about. */
  readonly eventId: string;
  readonly wallet: string;
  /** Null if it is not asked about. */
  readonly ticker: string | null;
  /** The network address that it comes from; null if no limit counts it. */
  readonly address: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether an ended launch asks again. */
  readonly isRetry: boolean;
  /** Whether the agent's limit counts it: a retry only of a launch that the agent pays for and did not sign. */
  readonly isCounted: boolean;
  /** Then the day's budget has nothing to do with it. */
  readonly isPaidByAgent: boolean;
  /** Of the invite's code; null without one. */
  readonly inviteHash: string | null;
  /** Found outside of the database. */
  readonly objections: readonly Objection[];
}

type CountedLevel = Exclude<ShareLevel, "agent">;

/** Who has a place in the hour that ends now, and where its request came from; null if that counts for none. */
export interface HourPlace {
  readonly wallet: string;
  readonly address: string | null;
  readonly network: string | null;
}

export interface HourPlaces {
  readonly isAmong: boolean;
  readonly used: Readonly<Partial<Record<CountedLevel, number>>>;
}

export interface TickerHolder {
  readonly eventId: string;
  readonly wallet: string;
  readonly status: LaunchStatusName;
  /** When it ended without a token; null if it is pending or has succeeded. */
  readonly endedAt: number | null;
}

/** What the database holds when it decides about a request. What no limit asks for may be 0. */
export interface IntakeFacts {
  readonly standing: Standing;
  /** Whether the request's invite can be redeemed; null without one. */
  readonly isInviteGood: boolean | null;
  readonly ofAgent: number;
  readonly ofAddress: number;
  /** Pending launches that the operator pays for: of the network address, of its network, and of all agents. */
  readonly pending: Readonly<Record<CountedLevel, number>>;
  /** The same of those that their agents pay for: they have shares of their own, as large as the queue's. */
  readonly ofAgents: Readonly<Record<CountedLevel, number>>;
  /** Launches that came on chain in the UTC day that is now. */
  readonly launched: Readonly<Record<"address" | "network", number>>;
  readonly places: HourPlaces;
  /** Of the UTC day that is now. */
  readonly spending: Committed;
  /** Another launch that has the ticker; null if none has. */
  readonly holder: TickerHolder | null;
}

/**
 * @returns all reasons to refuse a launch or a retry, in the order in which the first is answered.
 * A pending launch counts as if it had taken its part of the day's budget
 */
export function decide(
  request: IntakeRequest,
  facts: IntakeFacts,
  limits: IntakeLimits,
): readonly Refusal[] {
  const { address, isRetry, isPaidByAgent } = request;
  const pending = isPaidByAgent ? facts.ofAgents : facts.pending;
  const levels = address === null ? [] : (["address", "network"] as const);
  const isTaken = isTickerHeld(facts.holder, request.now, limits);
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
  holder: TickerHolder | null,
  now: number,
  { tickerHoldMs }: Pick<LaunchLimits, "tickerHoldMs">,
): boolean {
  return holder !== null && (holder.endedAt === null || holder.endedAt > now - tickerHoldMs);
}

function isShareUsed(level: "address" | "network", pending: number, limits: LaunchLimits): boolean {
  const { maxPending, maxOfAgent, shares } = limits;
  const share = sharesOf(maxPending, maxOfAgent, shares)[level];
  // If its part is the whole, it has no share of its own.
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

/** @returns the places of an hour as a request of this agent and address sees them */
export function hourPlaces(
  places: Iterable<HourPlace>,
  wallet: string,
  address: string | null,
): HourPlaces {
  const { network } = holderOf(wallet, address);
  // An agent has one place, which counts for each address that it launches from.
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
