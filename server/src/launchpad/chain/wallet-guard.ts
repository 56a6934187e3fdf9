import { formatSol } from "@tokenctl/shared/sol";
import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import { LaunchWalletError } from "../errors.ts";

/** Lamports that the launch wallet committed to launches, kept across restarts. */
export interface SpendBook {
  /** Lamports in the current UTC day. */
  spentToday(): bigint;
  /** @param lamports negative if a commitment is taken back */
  record(lamports: bigint): void;
}

export interface WalletLimits {
  /** The floor: no launch is sent that would leave less in the wallet. */
  readonly minWalletLamports: bigint;
  /** The most that launches may take from the wallet in a UTC day; null for no limit. */
  readonly maxDailySpendLamports: bigint | null;
}

/** Lamports set aside for one launch. */
export interface Reservation {
  /**
   * Remembers the cost under the attempt's signature, in case its outcome becomes known only later.
   *
   * @param networkFee lamports that the attempt costs if it fails on chain
   */
  linkTo(signature: string, networkFee: bigint): void;
  /**
   * Ends the reservation; calls after the first do nothing.
   *
   * @param spent lamports that the launch took; the whole cost while its outcome is open
   */
  release(spent: bigint): void;
}

/** Limits what launches take from the launch wallet: by its floor and by the day. */
export class WalletGuard {
  readonly #address: string;
  readonly #limits: WalletLimits;
  readonly #book: SpendBook;
  readonly #clock: Clock;
  #reserved = 0n;
  /** Reservations that are not released yet. */
  #inFlight = 0;
  /** Reservations so far. */
  #made = 0;
  /** The cost last measured exactly; null before the first. */
  #usualCost: bigint | null = null;
  /** Why the last launch was refused, if that still holds at this balance. */
  #refusal: (balance: bigint) => string | null = () => null;
  /** The cost of attempts whose outcome is open, by signature; a restart forgets it. */
  readonly #open = new Map<
    string,
    { readonly cost: bigint; readonly networkFee: bigint; readonly day: string }
  >();

  /** @param address the launch wallet's, for messages */
  constructor(address: string, limits: WalletLimits, book: SpendBook, clock: Clock) {
    this.#address = address;
    this.#limits = limits;
    this.#book = book;
    this.#clock = clock;
  }

  /**
   * Starts to measure what a launch costs; the caller then reads the balance before and after it.
   *
   * @returns a function from the first balance minus the second to the cost of the launch. If
   * other launches or deposits may have changed the balance between the two reads, it returns the
   * cost last measured without such changes
   */
  startMeasuring(): (difference: bigint, isSameSlot: boolean) => bigint {
    const made = this.#made;
    const wasAlone = this.#inFlight === 0;
    return (difference, isSameSlot) => {
      const isExact = isSameSlot || (wasAlone && this.#made === made);
      if (isExact && difference > 0n) {
        this.#usualCost = difference;
        return difference;
      }
      // Never negative: SOL that arrived meanwhile must not raise the day's limit.
      return this.#usualCost ?? (difference > 0n ? difference : 0n);
    };
  }

  /**
   * Sets lamports aside. Synchronous, so that launches side by side cannot together exceed a limit
   * that each of them keeps.
   *
   * @throws {LaunchWalletError} the wallet or the day does not allow it
   */
  reserve(balance: bigint, cost: bigint): Reservation {
    const { maxDailySpendLamports } = this.#limits;
    const needed = cost + this.#limits.minWalletLamports;
    if (balance - this.#reserved < needed) {
      throw this.#rememberShortage(balance, needed + this.#reserved, needed);
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
      linkTo: (signature, networkFee) => {
        this.#open.set(signature, { cost, networkFee, day });
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

  /**
   * Forgets an attempt whose outcome is known, and corrects the book: one that expired took nothing,
   * one that failed its network fee.
   */
  endAttempt(signature: string, outcome: TransactionOutcome["kind"]): void {
    const attempt = this.#open.get(signature);
    this.#open.delete(signature);
    if (!attempt || outcome === "landed") return;
    const spent = outcome === "failed" ? attempt.networkFee : 0n;
    this.#correct(spent - attempt.cost, attempt.day);
  }

  /** Forgets an attempt whose reservation is about to book what it took. */
  forgetAttempt(signature: string): void {
    this.#open.delete(signature);
  }

  /** Corrects today's sum; that of a day that is over stays as it is. */
  #correct(lamports: bigint, day: string): void {
    if (lamports !== 0n && utcDay(this.#clock.now()) === day) this.#book.record(lamports);
  }

  /** Whether the day's limit leaves no room for a launch of the cost last measured. */
  isSpentToday(): boolean {
    const { maxDailySpendLamports } = this.#limits;
    if (maxDailySpendLamports === null) return false;
    return this.#book.spentToday() + (this.#usualCost ?? 1n) > maxDailySpendLamports;
  }

  /** Whether a balance is under the floor before a launch costs anything. */
  isUnderFloor(balance: bigint): boolean {
    return balance < this.#limits.minWalletLamports;
  }

  /** @returns the error for a balance that is too small by the chain or by the floor */
  shortageError(balance: bigint, cause?: unknown): LaunchWalletError {
    return this.#rememberShortage(balance, this.#limits.minWalletLamports, balance + 1n, cause);
  }

  /** @returns why the next launch would be refused, as far as the last one showed; null if it would not */
  findProblem(balance: bigint): string | null {
    return this.isUnderFloor(balance) ? this.#describeShortage(balance) : this.#refusal(balance);
  }

  /**
   * Lets {@link findProblem} report the shortage until the balance has grown.
   *
   * @param needed lamports, for the message
   * @param enough lamports at which the next launch may pass
   */
  #rememberShortage(
    balance: bigint,
    needed: bigint,
    enough: bigint,
    cause?: unknown,
  ): LaunchWalletError {
    this.#refusal = (now) => (now < enough ? this.#describeShortage(now, needed) : null);
    return new LaunchWalletError(this.#describeShortage(balance, needed), cause);
  }

  #overLimit(spent: bigint, limit: bigint): LaunchWalletError {
    const text = `Launches took ${formatSol(spent)} SOL today, and with the next one it would be more than the limit of ${formatSol(limit)} SOL a day: they go on at 00:00 UTC, or with a higher limit`;
    const day = utcDay(this.#clock.now());
    this.#refusal = () => (utcDay(this.#clock.now()) === day ? text : null);
    return new LaunchWalletError(text);
  }

  #describeShortage(balance: bigint, needed = this.#limits.minWalletLamports): string {
    const more = needed > balance ? `needs ${formatSol(needed)} SOL` : "needs more";
    return `The launch wallet ${this.#address} holds ${formatSol(balance)} SOL and ${more} to launch: send SOL to it`;
  }
}
