import { formatSol } from "@tokenctl/shared/sol";
import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
import { LaunchWalletError } from "../errors.ts";

/** What the launch wallet committed to launches, kept across restarts. */
export interface SpendBook {
  /** Lamports in the current UTC day. */
  spentToday(): bigint;
  /** @param lamports negative where a commitment came to nothing */
  record(lamports: bigint): void;
}

export interface WalletLimits {
  /** No launch is sent that would leave less in the wallet. */
  readonly minWalletLamports: bigint;
  /** The most that launches may take from the wallet in a UTC day; null for no limit. */
  readonly maxDailySpendLamports: bigint | null;
}

/** Lamports set aside for one launch. */
export interface Reservation {
  /** Notes whose cost it is, in case that the attempt's outcome becomes known in another run. */
  keepFor(signature: string): void;
  /** @param spent lamports that the launch took, as far as is known; the whole cost while it is open */
  release(spent: bigint): void;
}

/** Stands between the worker and the hot wallet: what a launch may take from it, and how much a day. */
export class WalletGuard {
  readonly #address: string;
  readonly #limits: WalletLimits;
  readonly #book: SpendBook;
  readonly #clock: Clock;
  #reserved = 0n;
  #inFlight = 0;
  #made = 0;
  #usualCost: bigint | null = null;
  /** Why the last launch was refused, where that still holds at this balance. */
  #refusal: (balance: bigint) => string | null = () => null;
  /** What attempts whose outcome is open are booked with, by signature; a restart forgets it. */
  readonly #open = new Map<string, { readonly cost: bigint; readonly day: string }>();

  /** @param address the launch wallet's, for messages */
  constructor(address: string, limits: WalletLimits, book: SpendBook, clock: Clock) {
    this.#address = address;
    this.#limits = limits;
    this.#book = book;
    this.#clock = clock;
  }

  /**
   * Begins to measure what a launch costs, from two readings of the balance.
   *
   * @returns called with the first reading less the second, the cost to reckon with. What others
   * spent meanwhile is in that difference, and what came in is missing in it: then it is the cost
   * last measured without that
   */
  measure(): (difference: bigint, isSameSlot: boolean) => bigint {
    const made = this.#made;
    const wasAlone = this.#inFlight === 0;
    return (difference, isSameSlot) => {
      const isExact = isSameSlot || (wasAlone && this.#made === made);
      if (isExact && difference > 0n) {
        this.#usualCost = difference;
        return difference;
      }
      // Never less than nothing: SOL that came in meanwhile must not raise the day's limit.
      return this.#usualCost ?? (difference > 0n ? difference : 0n);
    };
  }

  /**
   * Sets lamports aside. Synchronous, so that launches side by side cannot together take what each
   * alone may.
   *
   * @throws {LaunchWalletError} the wallet or the day does not allow it
   */
  reserve(balance: bigint, cost: bigint): Reservation {
    const { maxDailySpendLamports } = this.#limits;
    const needed = cost + this.#limits.minWalletLamports;
    if (balance - this.#reserved < needed) {
      throw this.#short(balance, needed + this.#reserved, needed);
    }
    const day = utcDay(this.#clock.now());
    if (maxDailySpendLamports !== null) {
      const spent = this.#book.spentToday();
      if (spent + cost > maxDailySpendLamports) throw this.#overLimit(spent, maxDailySpendLamports);
    }
    this.#refusal = () => null;
    this.#book.record(cost);
    this.#reserved += cost;
    this.#inFlight += 1;
    this.#made += 1;
    let isHeld = true;
    return {
      keepFor: (signature) => {
        this.#open.set(signature, { cost, day });
      },
      release: (spent) => {
        if (!isHeld) return;
        isHeld = false;
        this.#reserved -= cost;
        this.#inFlight -= 1;
        this.#correct(spent - cost, day);
      },
    };
  }

  /** Takes an attempt of an earlier run off the book where it came to nothing. */
  closeAttempt(signature: string, hasExpired: boolean): void {
    const kept = this.#open.get(signature);
    this.#open.delete(signature);
    if (kept && hasExpired) this.#correct(-kept.cost, kept.day);
  }

  /** Another day's book is closed. */
  #correct(lamports: bigint, day: string): void {
    if (lamports !== 0n && utcDay(this.#clock.now()) === day) this.#book.record(lamports);
  }

  /** Whether the day's limit leaves no room for what a launch usually costs, as far as is known. */
  isSpentToday(): boolean {
    const { maxDailySpendLamports } = this.#limits;
    if (maxDailySpendLamports === null) return false;
    return this.#book.spentToday() + (this.#usualCost ?? 1n) > maxDailySpendLamports;
  }

  /** Whether a balance is under the floor, whatever a launch costs. */
  isUnderFloor(balance: bigint): boolean {
    return balance < this.#limits.minWalletLamports;
  }

  /** The chain or the floor says that this balance is too little. */
  short(balance: bigint, cause?: unknown): LaunchWalletError {
    return this.#short(balance, this.#limits.minWalletLamports, balance + 1n, cause);
  }

  /** What stands in the way of the next launch, as far as the last one showed; null when nothing. */
  obstacle(balance: bigint): string | null {
    return this.isUnderFloor(balance) ? this.#describeShort(balance) : this.#refusal(balance);
  }

  /**
   * @param needed lamports, for the message
   * @param enough lamports with which the next launch may pass
   */
  #short(balance: bigint, needed: bigint, enough: bigint, cause?: unknown): LaunchWalletError {
    this.#refusal = (now) => (now < enough ? this.#describeShort(now, needed) : null);
    return new LaunchWalletError(this.#describeShort(balance, needed), cause);
  }

  #overLimit(spent: bigint, limit: bigint): LaunchWalletError {
    const text = `Launches took ${formatSol(spent)} SOL today, and with the next one it would be more than the limit of ${formatSol(limit)} SOL a day: they go on at 00:00 UTC, or with a higher limit`;
    const day = utcDay(this.#clock.now());
    this.#refusal = () => (utcDay(this.#clock.now()) === day ? text : null);
    return new LaunchWalletError(text);
  }

  #describeShort(balance: bigint, needed = this.#limits.minWalletLamports): string {
    const more = needed > balance ? `needs ${formatSol(needed)} SOL` : "needs more";
    return `The launch wallet ${this.#address} holds ${formatSol(balance)} SOL and ${more} to launch: send SOL to it`;
  }
}
