import { startOfUtcDay, utcDay } from "../base/utc-day.ts";
import {
  decide,
  type HourPlace,
  hourPlaces,
  type IntakeFacts,
  type IntakeRequest,
  needsInvite,
  type Refusal,
  type Standing,
  type TickerHolder,
  UNKNOWN_WALLET,
} from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import { standingOf } from "./operator-reads.ts";

/** A request with what is looked up before anything is decided. */
export interface BatchRequest extends IntakeRequest {
  /** The client's key for it; null without one. */
  readonly key: string | null;
  /** Of its image in this service; null without one. */
  readonly imageHash: string | null;
}

/** What a batch of requests needs to know of the database. What no limit asks for may be missing. */
export interface BatchFacts {
  /** Launches that are known under a key of the batch. */
  readonly keys: readonly { wallet: string; key: string; eventId: string; requestHash: string }[];
  /** Launches of a wallet in a UTC day, which is named by its first millisecond. */
  readonly agents: readonly { wallet: string; day: number; launches: number }[];
  readonly addresses: readonly { address: string; day: string; launches: number }[];
  /** By address and by network: launches that are pending, and that came on chain today. */
  readonly origins: readonly {
    origin: string;
    pending: number;
    paidByAgents: number;
    launched: number;
  }[];
  readonly tickers: readonly (TickerHolder & { ticker: string })[];
  /** Lamports of the day that is now. */
  readonly spentLamports: bigint;
  /** Pending launches that have set some of them aside. */
  readonly reserved: number;
  /** Pending launches; any lower number will do if the whole batch has room. */
  readonly depth: number;
  /** Those of them that their agents pay for. */
  readonly paidByAgents: number;
  /** What the operator has decided about wallets; those that are missing are unknown. */
  readonly standings: readonly (Standing & { wallet: string })[];
  /** Invites that can be redeemed, and how often still. */
  readonly invites: readonly { codeHash: string; left: number }[];
  /** Who has a place in the hour that ends now; null if that was not read. */
  readonly places: readonly HourPlace[] | null;
  /** The batch's images that are there. None is deleted before the transaction ends. */
  readonly images: readonly { hash: string }[];
}

/** What the acceptance of a request changes beside the launch. */
export interface Acceptance {
  /** Whether it redeems its invite. */
  readonly redeems: boolean;
  /** Whether it takes its ticker from a launch that ended without a token. */
  readonly releases: boolean;
}

/**
 * Decides on requests one after another: each that is accepted counts for those behind it. Knows what
 * the database held when the transaction began to read, which stays true until it commits.
 */
export class IntakeBatch {
  readonly #limits: IntakeLimits;
  readonly #agents: Map<string, number>;
  readonly #addresses: Map<string, number>;
  readonly #pending: Map<string, number>;
  /** By origin, and of all under an empty name: those of them that their agents pay for. */
  readonly #paidByAgents: Map<string, number>;
  readonly #launched: Map<string, number>;
  readonly #tickers: Map<string, TickerHolder>;
  readonly #standings: Map<string, Standing>;
  /** How often an invite can still be redeemed, by the hash of its code. */
  readonly #invites: Map<string, number>;
  readonly #places: HourPlace[] | null;
  readonly #spending: IntakeFacts["spending"];
  #depth: number;
  readonly accepted: IntakeRequest[] = [];

  constructor(facts: BatchFacts, limits: IntakeLimits) {
    this.#limits = limits;
    this.#agents = new Map(facts.agents.map((it) => [agentKey(it.wallet, it.day), it.launches]));
    this.#addresses = new Map(
      facts.addresses.map((it) => [addressKey(it.address, it.day), it.launches]),
    );
    this.#pending = new Map(facts.origins.map((it) => [it.origin, it.pending]));
    this.#paidByAgents = new Map(facts.origins.map((it) => [it.origin, it.paidByAgents]));
    this.#paidByAgents.set("", facts.paidByAgents);
    this.#launched = new Map(facts.origins.map((it) => [it.origin, it.launched]));
    this.#tickers = new Map(facts.tickers.map(({ ticker, ...holder }) => [ticker, holder]));
    this.#standings = new Map(facts.standings.map((it) => [it.wallet, standingOf(it)]));
    this.#invites = new Map(facts.invites.map(({ codeHash, left }) => [codeHash, left]));
    this.#places = facts.places && [...facts.places];
    this.#spending = { lamports: facts.spentLamports, reserved: facts.reserved };
    this.#depth = facts.depth;
  }

  factsOf(request: IntakeRequest): IntakeFacts {
    const { wallet, address, now, inviteHash } = request;
    const of = (counts: Map<string, number>) => ({
      address: address === null ? 0 : (counts.get(address) ?? 0),
      network: address === null ? 0 : (counts.get(networkOf(address)) ?? 0),
    });
    return {
      standing: this.#standingOf(wallet),
      isInviteGood: inviteHash === null ? null : (this.#invites.get(inviteHash) ?? 0) > 0,
      ofAgent: this.#agents.get(agentKey(wallet, startOfUtcDay(now))) ?? 0,
      ofAddress:
        address === null ? 0 : (this.#addresses.get(addressKey(address, utcDay(now))) ?? 0),
      pending: { ...of(this.#pending), total: this.#depth },
      paidByAgents: { ...of(this.#paidByAgents), total: this.#paidByAgents.get("") ?? 0 },
      launched: of(this.#launched),
      places: this.#places === null ? NO_PLACES : hourPlaces(this.#places, wallet, address),
      spending: this.#spending,
      holder: this.#holderOf(request),
    };
  }

  #standingOf(wallet: string): Standing {
    return this.#standings.get(wallet) ?? UNKNOWN_WALLET;
  }

  /** The launch that has the ticker, if that is another one. */
  #holderOf({ ticker, eventId }: IntakeRequest): TickerHolder | null {
    const holder = ticker === null ? null : (this.#tickers.get(ticker) ?? null);
    return holder?.eventId === eventId ? null : holder;
  }

  /** @returns the first reason to refuse a request; null if there is none */
  refusal(request: IntakeRequest): Refusal | null {
    return decide(request, this.factsOf(request), this.#limits)[0] ?? null;
  }

  /** Counts a request that is accepted. */
  accept(request: IntakeRequest): Acceptance {
    const { eventId, wallet, ticker, address, now, inviteHash } = request;
    const network = address === null ? null : networkOf(address);
    const releases = this.#holderOf(request) !== null;
    const standing = this.#standingOf(wallet);
    this.accepted.push(request);
    this.#depth++;
    if (request.isPaidByAgent) {
      for (const origin of ["", address, network]) {
        if (origin !== null) add(this.#paidByAgents, origin);
      }
    }
    this.#places?.push({ wallet, address, network });
    if (ticker !== null) {
      this.#tickers.set(ticker, { eventId, wallet, status: "pending", endedAt: null });
    }
    if (!request.isRetry) add(this.#agents, agentKey(wallet, startOfUtcDay(now)));
    if (address !== null && network !== null) {
      add(this.#addresses, addressKey(address, utcDay(now)));
      add(this.#pending, address);
      add(this.#pending, network);
    }
    const redeems = inviteHash !== null && needsInvite(standing, this.#limits.admission);
    if (redeems) {
      this.#invites.set(inviteHash, (this.#invites.get(inviteHash) ?? 0) - 1);
      this.#standings.set(wallet, { ...standing, isInvited: true });
    }
    return { redeems, releases };
  }
}

const NO_PLACES = { isAmong: false, used: {} };
const agentKey = (wallet: string, day: number) => `${wallet} ${day}`;
const addressKey = (address: string, day: string) => `${address} ${day}`;

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
