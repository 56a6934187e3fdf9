import { startOfUtcDay, utcDay } from "../base/utc-day.ts";
import {
  decide,
  type HourPlace,
  hourPlaces,
  type IntakeFacts,
  needsInvite,
  type Refusal,
  type Standing,
  type TickerHolder,
  UNKNOWN_WALLET,
} from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { BatchFacts, BatchRequest } from "./intake-facts.ts";
import { standingOf } from "./operator-reads.ts";

type Origin = Readonly<Record<"pending" | "ofAgents" | "launched", number>>;

const NO_LAUNCHES: Origin = { pending: 0, ofAgents: 0, launched: 0 };

/**
 * One request after another: each that is accepted counts for those behind it. What the transaction has read
 * stays true until it commits.
 */
export class IntakeBatch {
  /** By what is counted and of whom, for example `invite HASH`. */
  readonly #counts = new Map<string, number>();
  /** By address and by network; of all under an empty name. */
  readonly #origins = new Map<string, Origin>();
  readonly #tickers: Map<string, TickerHolder>;
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
    for (const it of facts.origins) this.#origins.set(it.origin, it);
    const { depth: pending, ofAgents } = facts;
    this.#origins.set("", { pending, ofAgents, launched: 0 });
    this.#tickers = new Map(facts.tickers.map(({ ticker, ...holder }) => [ticker, holder]));
    this.#standings = new Map(facts.standings.map((it) => [it.wallet, standingOf(it)]));
    this.#places = facts.places && [...facts.places];
    this.#known = new Map(facts.known.map((it) => [it.eventId, it.requestHash]));
    this.#images = new Set(facts.images.map(({ hash }) => hash));
  }

  factsOf({ eventId, wallet, ticker, address, now, inviteHash }: BatchRequest): IntakeFacts {
    const network = address === null ? null : networkOf(address);
    const [ofAll, ofAddress, ofNetwork] = [
      this.#origin(""),
      this.#origin(address),
      this.#origin(network),
    ];
    const of = (what: keyof Origin) => ({
      address: ofAddress[what],
      network: ofNetwork[what],
      total: ofAll[what],
    });
    const holder = ticker === null ? undefined : this.#tickers.get(ticker);
    return {
      standing: this.#standings.get(wallet) ?? UNKNOWN_WALLET,
      isInviteGood: inviteHash === null ? null : this.#count(`invite ${inviteHash}`) > 0,
      ofAgent: this.#count(`agent ${wallet} ${startOfUtcDay(now)}`),
      ofAddress: address === null ? 0 : this.#count(`day ${address} ${utcDay(now)}`),
      pending: of("pending"),
      ofAgents: of("ofAgents"),
      launched: { address: ofAddress.launched, network: ofNetwork.launched },
      places:
        this.#places === null
          ? { isAmong: false, used: {} }
          : hourPlaces(this.#places, wallet, address),
      spending: { lamports: this.facts.spentLamports, reserved: this.facts.reserved },
      holder: holder === undefined || holder.eventId === eventId ? null : holder,
    };
  }

  /** The number of a request's launch; null on SQLite, which numbers its rows. */
  numberOf(index: number): number | null {
    return this.facts.drawn[index] ?? null;
  }

  decide(request: BatchRequest): "stored" | "replayed" | "key_reused" | "image_gone" | Refusal {
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

  #accept(request: BatchRequest, { holder, standing }: IntakeFacts): void {
    const { eventId, wallet, ticker, address, now, inviteHash } = request;
    const network = address === null ? null : networkOf(address);
    this.accepted.push(request);
    for (const name of ["", address, network]) {
      if (name === null) continue;
      const origin = this.#origin(name);
      const kind = request.isPaidByAgent ? "ofAgents" : "pending";
      this.#origins.set(name, { ...origin, [kind]: origin[kind] + 1 });
    }
    if (!request.isPaidByAgent) this.#places?.push({ wallet, address, network });
    if (request.isCounted) this.#add(`agent ${wallet} ${startOfUtcDay(now)}`, 1);
    if (address !== null) this.#add(`day ${address} ${utcDay(now)}`, 1);
    if (ticker !== null) {
      if (holder) this.released.push({ ticker, endedBy: now - this.limits.tickerHoldMs });
      this.#tickers.set(ticker, { eventId, wallet, status: "pending", endedAt: null });
    }
    if (inviteHash !== null && needsInvite(standing, this.limits.admission)) {
      this.redeemed.push({ wallet, codeHash: inviteHash });
      this.#add(`invite ${inviteHash}`, -1);
      this.#standings.set(wallet, { ...standing, isInvited: true });
    }
  }

  #origin(name: string | null): Origin {
    return (name !== null && this.#origins.get(name)) || NO_LAUNCHES;
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, n: number): void {
    this.#counts.set(key, this.#count(key) + n);
  }
}
