import { startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import { admissionRefusal, type Standing, UNKNOWN_WALLET } from "../admission.ts";
import type { DayBudget, IntakeLimits, Refusal } from "../launch-intake.ts";
import type { Counted, IntakeFacts } from "./intake-facts.ts";

/**
 * Holds requests to the limits of agents, addresses, queue and budget, one after another: each that
 * is accepted counts for those behind it. Knows what the database held when the transaction began
 * to read; its locks keep that true until it commits.
 */
export class IntakeBounds {
  readonly #limits: IntakeLimits;
  readonly #facts: IntakeFacts;
  readonly #agents: Map<string, number>;
  readonly #addresses: Map<string, number>;
  readonly #shares: Map<string, number>;
  readonly #standings: Map<string, Standing>;
  /** How often an invite can still be redeemed, by the hash of its code. */
  readonly #invites: Map<string, number>;
  readonly #places: Set<string>;
  readonly #isSpent: boolean;
  #accepted = 0;

  constructor(limits: IntakeLimits, budget: DayBudget | null, facts: IntakeFacts) {
    this.#limits = limits;
    this.#facts = facts;
    this.#agents = new Map(facts.agents.map((it) => [agentKey(it.wallet, it.day), it.launches]));
    this.#addresses = new Map(
      facts.addresses.map((it) => [addressKey(it.address, it.day), it.launches]),
    );
    this.#shares = new Map(facts.pendingOfAddresses.map((it) => [it.address, it.launches]));
    this.#standings = new Map(facts.standings.map((it) => [it.wallet, it]));
    this.#invites = new Map(facts.invites.map(({ codeHash, left }) => [codeHash, left]));
    this.#places = new Set(facts.places ?? []);
    const spent = BigInt(facts.spentLamports ?? 0);
    this.#isSpent = budget !== null && spent + budget.launchLamports > budget.maxDailyLamports;
  }

  /** Whether the operator serves the agent. */
  admissionRefusal({ wallet, codeHash = null, objection = null }: Counted): Refusal | null {
    if (objection !== null) return objection;
    const standing = this.#standings.get(wallet) ?? UNKNOWN_WALLET;
    const { admission } = this.#limits;
    const isCodeGood = codeHash === null ? null : (this.#invites.get(codeHash) ?? 0) > 0;
    return admissionRefusal(standing, { admission, isCodeGood });
  }

  agentRefusal({ wallet, now }: Counted): Refusal | null {
    const launches = this.#agents.get(agentKey(wallet, startOfUtcDay(now))) ?? 0;
    return launches < this.#limits.maxOfAgent ? null : "agent_launch_limit";
  }

  addressRefusal({ address, now }: Counted): Refusal | null {
    if (address === null) return null;
    const { maxOfAddress, maxPendingOfAddress } = this.#limits;
    const launches = this.#addresses.get(addressKey(address, utcDay(now))) ?? 0;
    if (launches >= maxOfAddress) return "address_launch_limit";
    const pending = this.#shares.get(address) ?? 0;
    return pending < maxPendingOfAddress ? null : "share_used";
  }

  /** Whether hour, budget and queue have room. */
  roomRefusal({ wallet }: Counted): Refusal | null {
    const { maxPerHour } = this.#limits;
    if (!this.#places.has(wallet) && this.#places.size >= maxPerHour) return "launch_rate_limit";
    if (this.#isSpent) return "daily_budget_spent";
    const { depth } = this.#facts;
    const isFull = depth !== null && depth + this.#accepted >= this.#limits.maxPending;
    return isFull ? "queue_full" : null;
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
    this.#places.add(wallet);
    if (isNew) add(this.#agents, agentKey(wallet, startOfUtcDay(now)));
    if (address === null) return;
    add(this.#addresses, addressKey(address, utcDay(now)));
    add(this.#shares, address);
  }
}

const agentKey = (wallet: string, day: number) => `${wallet} ${day}`;
const addressKey = (address: string, day: string) => `${address} ${day}`;

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
