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

function needsInvite({ isAllowed, isInvited }: Standing, mode: AdmissionMode): boolean {
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

function hourPlaces(
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

/** One of the requests that are decided together. */
export interface BatchRequest extends IntakeRequest {
  /** The UTC day of `now`. */
  readonly day: string;
  /** Null unless the client's key determines its `eventId`. */
  readonly requestHash: string | null;
  /** Null without an image of this service. */
  readonly imageHash: string | null;
}

type List<Row> = readonly Readonly<Row>[];

/** What the database says of a batch. A fact that no limit needs keeps the value that it has here. */
export const NO_FACTS = {
  known: [] as List<Record<"eventId" | "requestHash", string>>,
  agents: [] as List<{ wallet: string; day: string; launches: number }>,
  addresses: [] as List<{ address: string; day: string; launches: number }>,
  /** By address and by network: launches that are pending, and that came on chain today. */
  origins: [] as List<{ origin: string } & Record<"pending" | "ofAgents" | "launched", number>>,
  tickers: [] as List<TickerOwner & { ticker: string }>,
  /** What the operator has decided about wallets; a wallet without a decision is missing. */
  standings: [] as List<Standing & { wallet: string }>,
  /** Invites that can be redeemed, and how many times each. */
  invites: [] as List<{ codeHash: string; left: number }>,
  /** The batch's images that are stored. None is deleted before the transaction ends. */
  images: [] as List<{ hash: string }>,
  /** Who has a place in the last hour; null if that was not read. */
  places: null as readonly HourPlace[] | null,
  /** Lamports spent today, and how many pending launches have reserved some of them. */
  spentLamports: 0n,
  reserved: 0,
  /** Pending launches by who pays for them; 0 is close enough if all have room. */
  depth: 0,
  ofAgents: 0,
};
export type BatchFacts = Readonly<typeof NO_FACTS>;

export type BatchOutcome = "stored" | "replayed" | "key_reused" | "image_gone" | Refusal;

/**
 * One request after another: each that is accepted counts for those behind it. What the transaction has read
 * stays true until it commits.
 */
export class IntakeBatch {
  /** By what is counted and of whom, for example `invite HASH`, `pending NETWORK`, or `pending total`. */
  readonly #counts = new Map<string, number>();
  readonly #tickers: Map<string, TickerOwner>;
  readonly #standings: Map<string, Standing>;
  readonly #places: HourPlace[] | null;
  readonly #known: Map<string, string>;
  readonly #images: ReadonlySet<string>;
  readonly accepted: BatchRequest[] = [];
  /** Tickers that are taken from launches that ended at `endedBy` or before. */
  readonly released: { readonly ticker: string; readonly endedBy: number }[] = [];
  readonly redeemed: { readonly wallet: string; readonly codeHash: string }[] = [];

  constructor(
    private readonly facts: BatchFacts,
    private readonly limits: IntakeLimits,
  ) {
    // A fact that several requests ask for may stand there several times.
    for (const it of facts.agents) this.#counts.set(`agent ${it.wallet} ${it.day}`, it.launches);
    for (const it of facts.addresses) this.#counts.set(`day ${it.address} ${it.day}`, it.launches);
    for (const it of facts.invites) this.#counts.set(`invite ${it.codeHash}`, it.left);
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

  factsOf({ eventId, wallet, ticker, address, day, inviteHash }: BatchRequest): IntakeFacts {
    const network = address === null ? null : networkOf(address);
    const of = (what: "pending" | "ofAgents") => ({
      address: this.#count(`${what} ${address}`),
      network: this.#count(`${what} ${network}`),
      total: this.#count(`${what} total`),
    });
    const owner = ticker === null ? undefined : this.#tickers.get(ticker);
    return {
      standing: this.#standings.get(wallet) ?? UNKNOWN_WALLET,
      isInviteGood: inviteHash === null ? null : this.#count(`invite ${inviteHash}`) > 0,
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

  #accept(request: BatchRequest, { tickerOwner, standing }: IntakeFacts): void {
    const { eventId, wallet, ticker, address, now, day, inviteHash } = request;
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
    if (inviteHash !== null && needsInvite(standing, this.limits.admission)) {
      this.redeemed.push({ wallet, codeHash: inviteHash });
      this.#add(`invite ${inviteHash}`, -1);
      this.#standings.set(wallet, { ...standing, isInvited: true });
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, n: number): void {
    this.#counts.set(key, this.#count(key) + n);
  }
}

type Counted = Readonly<Record<"depth" | "ofAgents" | "drawn", number>>;

/**
 * Whether the queue has room, exact with any number of servers, and mostly without counting it. Each launch
 * draws a number of the sequence `launches_seq_seq` before it is stored, even if it is then refused. So no
 * more launches are pending than were counted, plus the numbers drawn since. Only if that bound exceeds the
 * limit they are counted again, alone: all who draw hold the lock of the queue until they have committed,
 * shared; who counts holds it exclusively. (A row that holds the depth would make all commits of all servers
 * wait for each other.)
 */
export class QueueRoom {
  /** How many were pending when they were counted, and the last number drawn before. */
  #counted: Counted | null = null;

  get mustCount(): boolean {
    return this.#counted === null;
  }

  /** Whether no more launches are pending than `most` after the last number was drawn; null if not asked. */
  isBelow(most: Readonly<Record<"depth" | "ofAgents", number | null>>, lastDrawn: number): boolean {
    if (this.#counted === null) return false;
    const { depth, ofAgents, drawn } = this.#counted;
    const since = lastDrawn - drawn;
    const hasRoom = (now: number, max: number | null) => max === null || now + since <= max;
    // Numbers go backwards if a standby takes over that had not received all.
    return since > 0 && hasRoom(depth, most.depth) && hasRoom(ofAgents, most.ofAgents);
  }

  counted(counted: Counted): void {
    this.#counted = counted;
  }

  forget(): void {
    this.#counted = null;
  }
}
