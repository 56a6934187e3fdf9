import { formatSol } from "@tokenctl/shared/sol";
import { holderOf, type ShareLevel, type SharePercents, sharesOf, usedUpShare } from "./shares.ts";

/** How many launches are accepted; `Infinity` is no limit. */
export interface LaunchLimits {
  /**
   * Agents that get a launch started in any hour: those whose launch was started, and those that
   * wait for their first one.
   */
  readonly maxPerHour: number;
  /** Launches that may be pending. */
  readonly maxPending: number;
  /** Launches of one agent that are accepted in a UTC day. */
  readonly maxOfAgent: number;
  /** Launches and retries of one network address that are accepted in a UTC day. */
  readonly maxOfAddress: number;
  /** What part of queue, hour and budget one address, and one network, may have. */
  readonly shares: SharePercents;
}

/** The day's limit on what launches may cost. */
export interface DayBudget {
  /** Lamports of a UTC day. */
  readonly maxDailyLamports: bigint;
  /** What the next launch costs, as far as is known; lamports, at least 1. */
  readonly launchLamports: bigint;
}

/** Why a launch is refused because of what is counted. */
export type CountRefusal =
  | "agent_launch_limit"
  | "address_launch_limit"
  | "queue_share_used"
  | "hour_share_used"
  | "launch_rate_limit"
  | "budget_share_used"
  | "daily_budget_spent"
  | "queue_full";

/** Whose uses of what launches share are counted. */
export type CountedLevel = Exclude<ShareLevel, "agent">;

/** Who has a place in the hour that ends now, and where its request came from; null if that counts for none. */
export interface HourPlace {
  readonly wallet: string;
  readonly address: string | null;
  readonly network: string | null;
}

/** The places of the hour, as far as they matter to one request. */
export interface HourPlaces {
  /** Whether its agent has one. */
  readonly isAmong: boolean;
  readonly used: Readonly<Partial<Record<CountedLevel, number>>>;
}

/** What today's launches have cost. */
export interface Committed {
  /** Lamports that they took or set aside. */
  readonly lamports: bigint;
  /** How many pending ones have set some aside. */
  readonly reserved: number;
}

/**
 * What a store has counted when it decides about a request. Functions: what no limit asks for need not
 * be read.
 */
export interface IntakeCounts {
  /** Launches of the agent that were accepted in the UTC day of the request. */
  ofAgent(): number;
  /** Launches and retries of the network address that were accepted in the UTC day of the request. */
  ofAddress(): number;
  /** Launches that are pending; any number below `limit` will do if there are fewer. */
  pending(level: CountedLevel, limit: number): number;
  places(): HourPlaces;
  spending(): Committed;
  /** Launches of the address or network that came on chain today. */
  launched(level: "address" | "network"): number;
}

/**
 * Decides about a launch or a retry by what is counted. A pending launch counts like one that has taken
 * its part of the day's budget.
 *
 * @param request `isNew` unless it is a retry, which the agent's limit does not count
 * @returns all reasons to refuse it, in the order in which the first one is answered
 */
export function* countRefusals(
  request: { readonly address: string | null; readonly isNew: boolean },
  counts: IntakeCounts,
  limits: LaunchLimits,
  budget: DayBudget | null,
): Generator<CountRefusal> {
  const { maxOfAgent, maxOfAddress, maxPending, shares } = limits;
  const levels = request.address === null ? [] : (["address", "network"] as const);
  const isFull = (level: CountedLevel, limit: number) =>
    limit !== Number.POSITIVE_INFINITY && counts.pending(level, limit) >= limit;

  if (request.isNew && isReached(maxOfAgent, () => counts.ofAgent())) yield "agent_launch_limit";
  if (request.address !== null && isReached(maxOfAddress, () => counts.ofAddress())) {
    yield "address_launch_limit";
  }
  const queue = sharesOf(maxPending, maxOfAgent, shares);
  // A part that is the whole is no share.
  if (levels.some((level) => queue[level] < maxPending && isFull(level, queue[level]))) {
    yield "queue_share_used";
  }
  const hour = hourRefusal(counts, limits);
  if (hour !== null) yield hour;
  if (budget !== null) {
    const ofDay = budgetShares(budget, limits);
    if (isFull("total", pendingLimit(budget, counts.spending()))) yield "daily_budget_spent";
    else if (levels.some((level) => isFull(level, ofDay[level] - counts.launched(level)))) {
      yield "budget_share_used";
    }
  }
  if (isFull("total", maxPending)) yield "queue_full";
}

function isReached(limit: number, count: () => number): boolean {
  return limit !== Number.POSITIVE_INFINITY && count() >= limit;
}

function hourRefusal(counts: IntakeCounts, limits: LaunchLimits): CountRefusal | null {
  if (limits.maxPerHour === Number.POSITIVE_INFINITY) return null;
  const { isAmong, used } = counts.places();
  if (isAmong) return null;
  if ((used.total ?? 0) >= limits.maxPerHour) return "launch_rate_limit";
  const isUsed = usedUpShare(used, sharesOf(limits.maxPerHour, 1, limits.shares)) !== null;
  return isUsed ? "hour_share_used" : null;
}

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
  { maxOfAddress, shares }: Pick<LaunchLimits, "maxOfAddress" | "shares">,
): { readonly address: number; readonly network: number } {
  const launches = Number(maxDailyLamports / launchLamports);
  const network =
    shares.network === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(1, sharesOf(launches, 1, { ...shares, address: 0 }).network);
  return { network, address: Math.min(network, maxOfAddress) };
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
