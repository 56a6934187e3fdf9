import { startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import {
  type Committed,
  type CountedLevel,
  countRefusals,
  type DayBudget,
  type HourPlace,
  hourPlaces,
  pendingLimit,
} from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import { admissionRefusal, type Standing, UNKNOWN_WALLET } from "../admission.ts";
import type { IntakeLimits, Refusal } from "../launch-intake.ts";
import type { Counted, IntakeFacts } from "./intake-facts.ts";

/**
 * Holds requests to the limits of agents, addresses, networks, queue and budget, one after another: each that
 * is accepted counts for those behind it. Knows what the database held when the transaction began
 * to read; its locks keep that true until it commits.
 */
export class IntakeBounds {
  readonly #limits: IntakeLimits;
  readonly #facts: IntakeFacts;
  readonly #agents: Map<string, number>;
  readonly #addresses: Map<string, number>;
  /** By address and by network. */
  readonly #pending: Map<string, number>;
  readonly #launched: Map<string, number>;
  readonly #standings: Map<string, Standing>;
  /** How often an invite can still be redeemed, by the hash of its code. */
  readonly #invites: Map<string, number>;
  readonly #places: HourPlace[];
  readonly #budget: DayBudget | null;
  readonly #spending: Committed;
  /** Of queue and budget together. */
  readonly maxPending: number;
  #accepted = 0;

  constructor(limits: IntakeLimits, budget: DayBudget | null, facts: IntakeFacts) {
    this.#limits = limits;
    this.#facts = facts;
    this.#agents = new Map(facts.agents.map((it) => [agentKey(it.wallet, it.day), it.launches]));
    this.#addresses = new Map(
      facts.addresses.map((it) => [addressKey(it.address, it.day), it.launches]),
    );
    this.#pending = new Map(facts.holders.map((it) => [it.holder, it.pending]));
    this.#launched = new Map(facts.holders.map((it) => [it.holder, it.launched]));
    this.#standings = new Map(facts.standings.map((it) => [it.wallet, it]));
    this.#invites = new Map(facts.invites.map(({ codeHash, left }) => [codeHash, left]));
    this.#places = [...(facts.places ?? [])];
    this.#budget = budget;
    this.#spending = { lamports: BigInt(facts.spentLamports ?? 0), reserved: facts.reserved };
    const ofBudget = budget === null ? limits.maxPending : pendingLimit(budget, this.#spending);
    this.maxPending = Math.min(limits.maxPending, ofBudget);
  }

  /** Whether the operator serves the agent. */
  admissionRefusal({ wallet, codeHash = null, objection = null }: Counted): Refusal | null {
    if (objection !== null) return objection;
    const standing = this.#standings.get(wallet) ?? UNKNOWN_WALLET;
    const { admission } = this.#limits;
    const isCodeGood = codeHash === null ? null : (this.#invites.get(codeHash) ?? 0) > 0;
    return admissionRefusal(standing, { admission, isCodeGood });
  }

  /** The first reason of those that are counted. */
  countRefusal({ wallet, address, now }: Counted, isNew: boolean): Refusal | null {
    const network = address === null ? "" : networkOf(address);
    const nameOf = (level: CountedLevel) => (level === "network" ? network : (address ?? ""));
    const [refusal] = countRefusals(
      { address, isNew },
      {
        ofAgent: () => this.#agents.get(agentKey(wallet, startOfUtcDay(now))) ?? 0,
        ofAddress: () => this.#addresses.get(addressKey(address ?? "", utcDay(now))) ?? 0,
        // Without a count there is room for the whole batch.
        pending: (level) =>
          level === "total"
            ? (this.#facts.depth ?? Number.NEGATIVE_INFINITY) + this.#accepted
            : (this.#pending.get(nameOf(level)) ?? 0),
        places: () => hourPlaces(this.#places, wallet, address),
        spending: () => this.#spending,
        launched: (level) => this.#launched.get(nameOf(level)) ?? 0,
      },
      this.#limits,
      this.#budget,
    );
    return refusal ?? null;
  }

  /** Redeems the invite of a request that is accepted, if its agent needs one. @returns whether it did */
  redeem({ wallet, codeHash = null }: Counted): boolean {
    const standing = this.#standings.get(wallet) ?? UNKNOWN_WALLET;
    const { admission } = this.#limits;
    if (admission !== "invite" || codeHash === null) return false;
    if (standing.isAllowed || standing.isInvited) return false;
    this.#invites.set(codeHash, (this.#invites.get(codeHash) ?? 0) - 1);
    this.#standings.set(wallet, { ...standing, isInvited: true });
    return true;
  }

  /** Counts a request that is accepted; `isNew` unless it is a retry. */
  accept({ wallet, address, now }: Counted, isNew: boolean): void {
    this.#accepted++;
    const network = address === null ? null : networkOf(address);
    this.#places.push({ wallet, address, network });
    if (isNew) add(this.#agents, agentKey(wallet, startOfUtcDay(now)));
    if (address === null || network === null) return;
    add(this.#addresses, addressKey(address, utcDay(now)));
    add(this.#pending, address);
    add(this.#pending, network);
  }
}

const agentKey = (wallet: string, day: number) => `${wallet} ${day}`;
const addressKey = (address: string, day: string) => `${address} ${day}`;

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
