import type { LaunchStatusName } from "@tokenctl/shared/types";
import type { LaunchShares } from "../domain/day-budget.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import type { NewAttempt } from "../domain/journal.ts";
import type { LaunchWait } from "../domain/launch.ts";
import type { LaunchCost, Reservation } from "../domain/reservation.ts";
import type { IntakeState, StateQuery } from "./intake-state.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin, RetryOutcome } from "./launch-intake.ts";
import type { LaunchQuery, LaunchRow, LaunchSummary, ListedLaunch } from "./launch-row.ts";
import type { Page } from "./tokens.ts";

/**
 * No launch is put off for longer than this, in milliseconds. If one seems to be, the clock has
 * stepped back since, and the launch is due: a standby that took over has a clock of its own.
 */
export const LONGEST_DELAY_MS = 60_000;

/** No look at the clock counts for more time than this, in milliseconds: the clock may have been set. */
export const LONGEST_STEP_MS = 3_600_000;

/** Pending launches of which nothing is signed; what is null does not matter. */
export interface WaitingLaunches {
  readonly wallet: string | null;
  readonly address: string | null;
  readonly network: string | null;
  /** When they were created, in milliseconds since the Unix epoch. */
  readonly since: number | null;
  readonly until: number | null;
  /** The service's time at which they were put in the queue, at the latest; see `passTime`. */
  readonly queuedBy: number | null;
}

export const ALL_WAITING: WaitingLaunches = {
  wallet: null,
  address: null,
  network: null,
  since: null,
  until: null,
  queuedBy: null,
};

/**
 * The launches and their queue. A change that names a lease does nothing if the lease does not hold
 * the launch. Leases and days run by the store's clock, not by the caller's.
 */
export interface LaunchStore {
  /** Stores requests in one durable transaction, in order; each has its own outcome. */
  insert(batch: readonly NewLaunch[], limits?: IntakeLimits): Promise<InsertOutcome[]>;

  /** Puts a launch of this wallet that ended without a token back in the queue. */
  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits?: IntakeLimits,
  ): Promise<RetryOutcome>;

  /** What would decide about a launch now. Changes nothing, and draws no number of the queue. */
  intakeState(query: StateQuery): Promise<IntakeState>;

  /** One launch of a wallet; what belongs to another wallet does not exist. */
  find(wallet: string, eventId: string): Promise<LaunchSummary | null>;

  /** A wallet's launches, newest first. */
  list(wallet: string, query: LaunchQuery): Promise<Page<ListedLaunch>>;

  /**
   * Ends a pending launch of this wallet as `failed` with this error, unless something was signed for
   * it. Its ticker is free at once, what was set aside for it goes back, and a worker that holds it has
   * lost its lease, so that it can sign nothing any more.
   */
  cancel(wallet: string, eventId: string, error: string): Promise<CancelOutcome>;

  /** Ends pending launches like `cancel`, of any wallets. @returns how many */
  endWaiting(which: WaitingLaunches, error: string): Promise<number>;

  /**
   * Lets the service's time go on, by which launches wait: all servers share it, and it survives a restart.
   *
   * @param isCounted whether the time since any server's last call counts
   * @returns the service's time, in milliseconds
   */
  passTime(isCounted: boolean): Promise<number>;

  /**
   * Leases the next launch that is due, for `leaseMs`, and counts the attempt.
   *
   * A wallet's launches are leased one at a time and in order. One whose transaction is still
   * undecided comes before all others of its wallet and keeps the day in which it was signed; the
   * others get the present UTC day. `starts` holds back those that have no transaction; one of an agent that has
   * launched today is leased all the same, so that it ends. (SQLite: a lease that seems to last more than twice `leaseMs` was given
   * before the clock stepped back, and counts as run out.)
   */
  lease(leaseId: string, leaseMs: number, starts?: StartLimits): Promise<LaunchRow | null>;

  /** Extends a lease to `leaseMs` from now. @returns false if the lease is lost */
  renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean>;

  /**
   * Sets lamports aside for the launch, in the UTC day that is now; replaces what was set aside for it
   * before. Atomic: launches side by side, on several servers too, cannot together exceed a limit that each
   * of them keeps.
   *
   * @param shares what part of the day's limit an address and a network may have; null for any
   */
  reserve(
    eventId: string,
    leaseId: string,
    cost: LaunchCost,
    shares?: LaunchShares | null,
  ): Promise<ReserveOutcome>;

  /**
   * Ends the launch's reservation: the day's sum gets what it took instead of what was set aside.
   * Does nothing without a reservation. A sum of a day that is over stays as it is.
   *
   * @param spent lamports that the launch took
   */
  settle(eventId: string, leaseId: string, spent: bigint): Promise<void>;

  /** Lamports that launches took or set aside in the UTC day that is now. */
  spentToday(): Promise<bigint>;

  /**
   * Stores a signed transaction before it is sent, and the UTC day that is now: that day is used up
   * if it lands.
   */
  recordAttempt(eventId: string, leaseId: string, attempt: NewAttempt): Promise<RecordOutcome>;

  /**
   * Gives a launch back, to be leased again after `delayMs`.
   *
   * @param reason what it waits for from now on; null leaves that as it is
   * @returns false if the lease is lost
   */
  postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason?: LaunchWait["reason"] | null,
  ): Promise<boolean>;

  /**
   * Frees all leases of an earlier process; called once at start. Does nothing on a shared store: the
   * leases of a server that died run out.
   *
   * @returns how many there were
   */
  recover(): Promise<number>;

  /** How many launches are pending, and when the oldest of them was created. */
  backlog(): Promise<{ readonly depth: number; readonly oldestCreatedAt: number | null }>;

  /** Ends a launch with its token, both or neither. @returns false if the lease is lost */
  succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { readonly tokenMint: string; readonly poolAddress: string },
  ): Promise<boolean>;

  /**
   * Ends a launch without a token. The next one of its wallet goes behind all that wait, so that no
   * agent's backlog delays another agent. @returns false if the lease is lost
   */
  fail(eventId: string, leaseId: string, error: string): Promise<boolean>;

  /**
   * Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it: an agent
   * that sends thousands costs one commit.
   */
  limit(wallet: string, leaseId: string, error: string): Promise<void>;

  /** Ends the leased launch of this wallet as `failed`, and all that wait behind it. */
  refuse(wallet: string, leaseId: string, error: string): Promise<void>;

  /** @returns whether a launch of this wallet that belongs to this UTC day has succeeded */
  hasLaunchedOn(wallet: string, day: string): Promise<boolean>;
}

/** Which launches may be started; one that has a transaction already goes on. */
export interface StartLimits {
  /** Whether none may be. */
  readonly isPaused?: boolean;
  /** Agents that may get a launch started in any hour, each of them one; `Infinity` is no limit. */
  readonly maxPerHour?: number;
}

/** `lease_lost`, or what was decided. */
export type ReserveOutcome = { readonly kind: "lease_lost" } | Reservation;

/** `launched_today`: another launch of the wallet has used up the day, or may have. */
export type RecordOutcome = "recorded" | "lease_lost" | "launched_today";

/**
 * - `cancelled`: now, or by an earlier call with the same error.
 * - `signed`: its transaction may land.
 */
export type CancelOutcome =
  | { readonly kind: "cancelled" | "signed" | "unknown" }
  | { readonly kind: "ended"; readonly status: LaunchStatusName };
