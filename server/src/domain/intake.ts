import type { LaunchStatusName } from "@tokenctl/shared/types";
import {
  type AdmissionMode,
  budgetShares,
  type Committed,
  type IntakeLimits,
  type LaunchLimits,
  pendingLimit,
} from "./intake-limits.ts";
import { clientOf, networkOf, type ShareLevel, sharesOf, usedUpShare } from "./shares.ts";

export interface Standing {
  readonly isBlocked: boolean;
  readonly isAllowed: boolean;
  readonly isInvited: boolean;
}

export const UNKNOWN_WALLET: Standing = { isBlocked: false, isAllowed: false, isInvited: false };

type AdmissionRefusal = "wallet_blocked" | "invite_required" | "not_on_allowlist";

function admissionRefusal(
  { isBlocked, isAllowed, isInvited }: Standing,
  mode: AdmissionMode,
): AdmissionRefusal | null {
  if (isBlocked) return "wallet_blocked";
  if (mode === "open" || isAllowed) return null;
  if (mode === "allowlist") return "not_on_allowlist";
  return isInvited ? null : "invite_required";
}

/** Refusals that do not depend on the database. */
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
  /** Empty if the request only asks whether a launch would be accepted. */
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string | null;
  readonly address: string | null;
  readonly now: number;
  readonly isRetry: boolean;
  /** Whether it counts towards the agent's limit; a retry does only if agent-paid and unsigned. */
  readonly isCounted: boolean;
  readonly isPaidByAgent: boolean;
  readonly objections: readonly Objection[];
}

type CountedLevel = Exclude<ShareLevel, "agent">;

/** An agent that started a launch in the last hour or has one waiting, and its request's origin. */
interface HourPlace {
  readonly wallet: string;
  readonly address: string | null;
  readonly network: string | null;
}

interface HourPlaces {
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

/** The facts about a request in the database. A fact that no limit needs may be 0. */
export interface IntakeFacts {
  readonly standing: Standing;
  readonly ofAgent: number;
  readonly ofAddress: number;
  /** Pending launches that the operator pays for. */
  readonly pending: Readonly<Record<CountedLevel, number>>;
  /** Pending launches that agents pay for. They have separate shares of the same size. */
  readonly ofAgents: Readonly<Record<CountedLevel, number>>;
  readonly launched: Readonly<Record<"address" | "network", number>>;
  readonly places: HourPlaces;
  readonly spending: Committed;
  readonly tickerOwner: TickerOwner | null;
}

/** @returns all refusals, most important first. Pending launches count as spent budget. */
export function decide(
  request: IntakeRequest,
  facts: IntakeFacts,
  limits: IntakeLimits,
): readonly Refusal[] {
  const { address, isRetry, isPaidByAgent } = request;
  const pending = isPaidByAgent ? facts.ofAgents : facts.pending;
  const levels = address === null ? [] : (["address", "network"] as const);
  const heldSince = request.now - limits.tickerHoldMs;
  const { tickerOwner: owner } = facts;
  const isTaken = owner !== null && (owner.endedAt === null || owner.endedAt > heldSince);
  const refusals: readonly (Refusal | false | null)[] = [
    isRetry && isTaken && "ticker_taken",
    ...request.objections,
    admissionRefusal(facts.standing, limits.admission),
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

function isShareUsed(level: "address" | "network", pending: number, limits: LaunchLimits): boolean {
  const { maxPending, maxOfAgent, shares } = limits;
  const share = sharesOf(maxPending, maxOfAgent, shares)[level];
  // A share as large as the whole limits nothing.
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

function hourPlaces(
  places: Iterable<HourPlace>,
  wallet: string,
  address: string | null,
): HourPlaces {
  const { network } = clientOf(wallet, address);
  // Each set counts an agent once, even if it has several launches.
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

/** A request of a batch that is decided in one transaction. */
export interface BatchRequest extends IntakeRequest {
  readonly day: string;
  /** Null unless the client's key determines its `eventId`. */
  readonly requestHash: string | null;
  /** Null unless the launch has an image that this service stores. */
  readonly imageHash: string | null;
}

type List<Row> = readonly Readonly<Row>[];

/** The facts about a batch in the database. A fact that no limit needs keeps this value. */
export const NO_FACTS = {
  known: [] as List<Record<"eventId" | "requestHash", string>>,
  agents: [] as List<{ wallet: string; day: string; launches: number }>,
  addresses: [] as List<{ address: string; day: string; launches: number }>,
  /** Pending launches, and launches that landed today, by address and by network. */
  origins: [] as List<{ origin: string } & Record<"pending" | "ofAgents" | "launched", number>>,
  tickers: [] as List<TickerOwner & { ticker: string }>,
  /** The operator's decisions about wallets; a wallet without one is missing. */
  standings: [] as List<Standing & { wallet: string }>,
  /** The batch's stored images. None is deleted before the transaction ends. */
  images: [] as List<{ hash: string }>,
  /** The agents that count towards the hourly limit; null if they were not read. */
  places: null as readonly HourPlace[] | null,
  /** Lamports spent or reserved today, and how many pending launches hold a reservation. */
  spentLamports: 0n,
  reserved: 0,
  depth: 0,
  ofAgents: 0,
};
export type BatchFacts = Readonly<typeof NO_FACTS>;

export type BatchOutcome = "stored" | "replayed" | "key_reused" | "image_gone" | Refusal;

/**
 * Decides about the requests of a batch in order: an accepted one counts against those after it.
 * The facts stay true until the transaction commits.
 */
export class IntakeBatch {
  /** Counts by what and whom, for example `pending NETWORK` or `pending total`. */
  readonly #counts = new Map<string, number>();
  readonly #tickers: Map<string, TickerOwner>;
  readonly #standings: ReadonlyMap<string, Standing>;
  readonly #places: HourPlace[] | null;
  readonly #known: Map<string, string>;
  readonly #images: ReadonlySet<string>;
  readonly accepted: BatchRequest[] = [];
  /** Tickers that are taken over from launches that ended at `endedBy` or earlier. */
  readonly released: { readonly ticker: string; readonly endedBy: number }[] = [];

  constructor(
    private readonly facts: BatchFacts,
    private readonly limits: IntakeLimits,
  ) {
    // If several requests need a fact, it may be listed several times.
    for (const it of facts.agents) this.#counts.set(`agent ${it.wallet} ${it.day}`, it.launches);
    for (const it of facts.addresses) this.#counts.set(`day ${it.address} ${it.day}`, it.launches);
    const ofAll = { origin: "total", pending: facts.depth, ofAgents: facts.ofAgents, launched: 0 };
    for (const { origin, ...counts } of [...facts.origins, ofAll]) {
      for (const [what, count] of Object.entries(counts))
        this.#counts.set(`${what} ${origin}`, count);
    }
    this.#tickers = new Map(facts.tickers.map(({ ticker, ...owner }) => [ticker, owner]));
    this.#standings = new Map(facts.standings.map(({ wallet, ...it }) => [wallet, it]));
    this.#places = facts.places && [...facts.places];
    this.#known = new Map(facts.known.map((it) => [it.eventId, it.requestHash]));
    this.#images = new Set(facts.images.map(({ hash }) => hash));
  }

  factsOf({ eventId, wallet, ticker, address, day }: BatchRequest): IntakeFacts {
    const network = address === null ? null : networkOf(address);
    const of = (what: "pending" | "ofAgents") => ({
      address: this.#count(`${what} ${address}`),
      network: this.#count(`${what} ${network}`),
      total: this.#count(`${what} total`),
    });
    const owner = ticker === null ? undefined : this.#tickers.get(ticker);
    return {
      standing: this.#standings.get(wallet) ?? UNKNOWN_WALLET,
      ofAgent: this.#count(`agent ${wallet} ${day}`),
      ofAddress: address === null ? 0 : this.#count(`day ${address} ${day}`),
      pending: of("pending"),
      ofAgents: of("ofAgents"),
      launched: {
        address: this.#count(`launched ${address}`),
        network: this.#count(`launched ${network}`),
      },
      places:
        this.#places === null
          ? { isAmong: false, used: {} }
          : hourPlaces(this.#places, wallet, address),
      spending: { lamports: this.facts.spentLamports, reserved: this.facts.reserved },
      tickerOwner: owner === undefined || owner.eventId === eventId ? null : owner,
    };
  }

  decide(request: BatchRequest): BatchOutcome {
    const { eventId, requestHash, imageHash } = request;
    const known = this.#known.get(eventId);
    if (known !== undefined) return known === requestHash ? "replayed" : "key_reused";
    if (imageHash !== null && !this.#images.has(imageHash)) return "image_gone";
    const facts = this.factsOf(request);
    const [refusal] = decide(request, facts, this.limits);
    if (refusal !== undefined) return refusal;
    if (requestHash !== null) this.#known.set(eventId, requestHash);
    this.#accept(request, facts);
    return "stored";
  }

  #accept(request: BatchRequest, { tickerOwner }: IntakeFacts): void {
    const { eventId, wallet, ticker, address, now, day } = request;
    const network = address === null ? null : networkOf(address);
    this.accepted.push(request);
    const kind = request.isPaidByAgent ? "ofAgents" : "pending";
    const origins = address === null ? ["total"] : ["total", address, network];
    for (const origin of origins) this.#add(`${kind} ${origin}`, 1);
    if (!request.isPaidByAgent) this.#places?.push({ wallet, address, network });
    if (request.isCounted) this.#add(`agent ${wallet} ${day}`, 1);
    if (address !== null) this.#add(`day ${address} ${day}`, 1);
    if (ticker !== null) {
      if (tickerOwner) this.released.push({ ticker, endedBy: now - this.limits.tickerHoldMs });
      this.#tickers.set(ticker, { eventId, wallet, status: "pending", endedAt: null });
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, n: number): void {
    this.#counts.set(key, this.#count(key) + n);
  }
}
