import type { LaunchShares } from "../../domain/day-budget.ts";
import { type IntakeLimits, UNBOUNDED } from "../../domain/intake-limits.ts";
import type { NewAttempt } from "../../domain/journal.ts";
import type { LaunchWait } from "../../domain/launch.ts";
import type { LaunchCost } from "../../domain/reservation.ts";
import type { OnEvents } from "../events.ts";
import type { IntakeState, StateQuery } from "../intake-state.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import type {
  LaunchQuery,
  LaunchRow,
  LaunchSummary,
  ListedLaunch,
  OnEnded,
} from "../launch-row.ts";
import type {
  CancelOutcome,
  LaunchStore,
  RecordOutcome,
  ReserveOutcome,
  StartLimits,
  WaitingLaunches,
} from "../launch-store.ts";
import type { Page } from "../tokens.ts";
import type { PostgresDatabase } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { Intake } from "./intake.ts";
import { IntakeStates } from "./intake-state.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { LaunchQueue } from "./launch-queue.ts";
import { LaunchReads } from "./launch-reads.ts";
import { LaunchWaits } from "./launch-waits.ts";
import { RetryLaunch } from "./retry-launch.ts";
import { Spending } from "./spending.ts";

/** The launch table. The files beside this one hold its statements. */
export class PostgresLaunchStore implements LaunchStore {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #queue: LaunchQueue;
  readonly #outcomes: LaunchOutcomes;
  readonly #reads: LaunchReads;
  readonly #states: IntakeStates;
  readonly #waits: LaunchWaits;
  readonly #spending: Spending;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEnded: OnEnded, onEvents: OnEvents) {
    const intake = new Intake(db, time);
    this.#inserts = new InsertLaunches(db, intake, time);
    this.#retries = new RetryLaunch(intake);
    this.#queue = new LaunchQueue(db, time);
    this.#outcomes = new LaunchOutcomes(db, time, onEnded, onEvents);
    this.#reads = new LaunchReads(db);
    this.#waits = new LaunchWaits(db, time);
    this.#states = new IntakeStates(db, time, intake.facts);
    this.#spending = new Spending(db, time);
  }

  insert(batch: readonly NewLaunch[], limits: IntakeLimits = UNBOUNDED): Promise<InsertOutcome[]> {
    return this.#inserts.insert(batch, limits);
  }

  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<RetryOutcome> {
    return this.#retries.retry(wallet, eventId, origin, limits);
  }

  intakeState(query: StateQuery): Promise<IntakeState> {
    return this.#states.read(query);
  }

  find(wallet: string, eventId: string): Promise<LaunchSummary | null> {
    return this.#reads.find(wallet, eventId);
  }

  list(wallet: string, query: LaunchQuery): Promise<Page<ListedLaunch>> {
    return this.#reads.list(wallet, query);
  }

  cancel(wallet: string, eventId: string, error: string): Promise<CancelOutcome> {
    return this.#outcomes.cancel(wallet, eventId, error);
  }

  endWaiting(which: WaitingLaunches, error: string): Promise<number> {
    return this.#outcomes.endWaiting(which, error);
  }

  passTime(isCounted: boolean): Promise<number> {
    return this.#waits.pass(isCounted);
  }

  lease(leaseId: string, leaseMs: number, starts?: StartLimits): Promise<LaunchRow | null> {
    return this.#queue.lease(leaseId, leaseMs, starts);
  }

  renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean> {
    return this.#queue.renew(eventId, leaseId, leaseMs);
  }

  reserve(
    eventId: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): Promise<ReserveOutcome> {
    return this.#spending.reserve(eventId, leaseId, cost, shares);
  }

  settle(eventId: string, leaseId: string, spent: bigint): Promise<void> {
    return this.#spending.settle(eventId, leaseId, spent);
  }

  spentToday(): Promise<bigint> {
    return this.#spending.spentToday();
  }

  recordAttempt(eventId: string, leaseId: string, attempt: NewAttempt): Promise<RecordOutcome> {
    return this.#queue.recordAttempt(eventId, leaseId, attempt);
  }

  postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason: LaunchWait["reason"] | null = null,
  ): Promise<boolean> {
    return this.#queue.postpone(eventId, leaseId, delayMs, reason);
  }

  /** Nothing: other servers hold their leases, and those of a server that died run out. */
  async recover(): Promise<number> {
    return 0;
  }

  backlog(): Promise<{ readonly depth: number; readonly oldestCreatedAt: number | null }> {
    return this.#reads.backlog();
  }

  succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { readonly tokenMint: string; readonly poolAddress: string },
  ): Promise<boolean> {
    return this.#outcomes.succeed(launch, leaseId, token);
  }

  fail(eventId: string, leaseId: string, error: string): Promise<boolean> {
    return this.#outcomes.fail(eventId, leaseId, error);
  }

  limit(wallet: string, leaseId: string, error: string): Promise<void> {
    return this.#outcomes.limit(wallet, leaseId, error);
  }

  refuse(wallet: string, leaseId: string, error: string): Promise<void> {
    return this.#outcomes.refuse(wallet, leaseId, error);
  }

  hasLaunchedOn(wallet: string, day: string): Promise<boolean> {
    return this.#outcomes.hasLaunchedOn(wallet, day);
  }
}
