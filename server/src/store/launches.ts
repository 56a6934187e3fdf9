import type { Database } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { IntakeBounds } from "./intake-bounds.ts";
import {
  type InsertOutcome,
  type IntakeLimits,
  type NewLaunch,
  type RequestOrigin,
  type RetryOutcome,
  UNBOUNDED,
} from "./launch-intake.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { LaunchQueue } from "./launch-queue.ts";
import { LaunchReads } from "./launch-reads.ts";
import type { LaunchRow, LaunchSummary, OnEnded, SignedAttempt } from "./launch-row.ts";
import { RetryLaunch } from "./retry-launch.ts";
import { Tickers } from "./tickers.ts";

const never = () => false;

/**
 * The launch table. The files beside this one hold its statements: intake, queue, outcomes, reads.
 * renew, recordAttempt, postpone, succeed and fail change nothing and return false if the lease
 * does not hold the launch.
 */
export class LaunchStore {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #queue: LaunchQueue;
  readonly #outcomes: LaunchOutcomes;
  readonly #reads: LaunchReads;

  constructor(db: Database, onEnded: OnEnded = () => {}) {
    const bounds = new IntakeBounds(db);
    const tickers = new Tickers(db.$client);
    this.#inserts = new InsertLaunches(db, bounds, tickers);
    this.#retries = new RetryLaunch(db, bounds, tickers);
    this.#queue = new LaunchQueue(db);
    this.#outcomes = new LaunchOutcomes(db, onEnded);
    this.#reads = new LaunchReads(db);
  }

  /**
   * Stores requests in one durable transaction, in order; each has its own outcome.
   *
   * @param isSpent whether the day's budget for launches is spent; called at most once
   */
  insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
    isSpent: () => boolean = never,
  ): InsertOutcome[] {
    return this.#inserts.insert(batch, limits, isSpent);
  }

  /** Puts a launch of this wallet that ended without a token back in the queue. */
  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits = UNBOUNDED,
    isSpent: () => boolean = never,
  ): RetryOutcome {
    return this.#retries.retry(wallet, eventId, origin, limits, isSpent);
  }

  /** One launch of a wallet; what belongs to another wallet does not exist. */
  find(wallet: string, eventId: string): LaunchSummary | null {
    return this.#reads.find(wallet, eventId);
  }

  /**
   * Leases the next launch that is due, for `leaseMs`, and counts the attempt.
   *
   * A wallet's launches are leased one at a time and in order. One whose transaction is still
   * undecided comes before all others of its wallet and keeps the day in which it was signed; the
   * others get `day`. A lease that seems to last more than twice `leaseMs` was given before the
   * clock stepped back, and counts as run out. After a smaller step its holder keeps it, and renews
   * it soon.
   */
  lease(leaseId: string, now: number, leaseMs: number, day: string): LaunchRow | null {
    return this.#queue.lease(leaseId, now, leaseMs, day);
  }

  /** Extends a lease. */
  renew(eventId: string, leaseId: string, leaseUntil: number): boolean {
    return this.#queue.renew(eventId, leaseId, leaseUntil);
  }

  /**
   * Stores a signed transaction before it is sent.
   *
   * @param day the UTC day in which it was signed: that day is used up if it lands
   */
  recordAttempt(eventId: string, leaseId: string, attempt: SignedAttempt, day: string): boolean {
    return this.#queue.recordAttempt(eventId, leaseId, attempt, day);
  }

  /** Gives a launch back, to be leased again from `runAt` on. */
  postpone(eventId: string, leaseId: string, runAt: number): boolean {
    return this.#queue.postpone(eventId, leaseId, runAt);
  }

  /**
   * Frees all leases. Call it only at start, while no other worker can hold one.
   *
   * @returns how many there were
   */
  recover(): number {
    return this.#queue.recover();
  }

  /** How many launches are pending, and when the oldest of them was created. */
  backlog(): { depth: number; oldestCreatedAt: number | null } {
    return this.#queue.backlog();
  }

  /** Ends a launch with its token, both or neither. */
  succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { tokenMint: string; poolAddress: string },
    now: number,
  ): boolean {
    return this.#outcomes.succeed(launch, leaseId, token, now);
  }

  /** Ends a launch without a token. */
  fail(eventId: string, leaseId: string, error: string, now: number): boolean {
    return this.#outcomes.fail(eventId, leaseId, error, now);
  }

  /**
   * Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it: an agent
   * that sends thousands costs one commit.
   */
  limit(wallet: string, leaseId: string, error: string, now: number): void {
    this.#outcomes.limit(wallet, leaseId, error, now);
  }

  /** @returns whether a launch of this wallet that belongs to this UTC day has succeeded */
  hasLaunchedOn(wallet: string, day: string): boolean {
    return this.#outcomes.hasLaunchedOn(wallet, day);
  }
}
