import type { Clock } from "../../base/clock.ts";
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
import { AddressLaunches } from "./address-launches.ts";
import { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { IntakeReads } from "./intake-facts.ts";
import { IntakeStates } from "./intake-state.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { LaunchQueue } from "./launch-queue.ts";
import { LaunchReads } from "./launch-reads.ts";
import { LaunchWaits } from "./launch-waits.ts";
import { RetryLaunch } from "./retry-launch.ts";
import { Spending } from "./spending.ts";

/**
 * The launch table. The files beside this one hold its statements: intake, queue, spending, outcomes,
 * reads. Each call is one synchronous transaction, which is over before the promise is returned.
 */
export class SqliteLaunchStore implements LaunchStore {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #queue: LaunchQueue;
  readonly #spending: Spending;
  readonly #outcomes: LaunchOutcomes;
  readonly #reads: LaunchReads;
  readonly #states: IntakeStates;
  readonly #waits: LaunchWaits;

  constructor(
    db: Database,
    clock: Clock,
    onEnded: OnEnded = () => {},
    onEvents: OnEvents = () => {},
  ) {
    this.#spending = new Spending(db, clock);
    const addressLaunches = new AddressLaunches(db.$client);
    const admission = new Admission(db, clock);
    const tables = { spending: this.#spending, admission, addressLaunches };
    const facts = new IntakeReads(db, clock, tables);
    this.#inserts = new InsertLaunches(db, facts, tables);
    this.#retries = new RetryLaunch(db, facts, tables);
    this.#queue = new LaunchQueue(db, clock);
    this.#outcomes = new LaunchOutcomes(db, clock, this.#spending, onEnded, onEvents);
    this.#reads = new LaunchReads(db);
    this.#waits = new LaunchWaits(db, clock);
    this.#states = new IntakeStates(db, clock, facts);
  }

  async insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<InsertOutcome[]> {
    return this.#inserts.insert(batch, limits);
  }

  async retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<RetryOutcome> {
    return this.#retries.retry(wallet, eventId, origin, limits);
  }

  async intakeState(query: StateQuery): Promise<IntakeState> {
    return this.#states.read(query);
  }

  async find(wallet: string, eventId: string): Promise<LaunchSummary | null> {
    return this.#reads.find(wallet, eventId);
  }

  async list(wallet: string, query: LaunchQuery): Promise<Page<ListedLaunch>> {
    return this.#reads.list(wallet, query);
  }

  async cancel(wallet: string, eventId: string, error: string): Promise<CancelOutcome> {
    return this.#outcomes.cancel(wallet, eventId, error);
  }

  async endWaiting(which: WaitingLaunches, error: string): Promise<number> {
    return this.#outcomes.endWaiting(which, error);
  }

  async passTime(isCounted: boolean): Promise<number> {
    return this.#waits.pass(isCounted);
  }

  async lease(
    leaseId: string,
    leaseMs: number,
    starts: StartLimits = {},
  ): Promise<LaunchRow | null> {
    return this.#queue.lease(leaseId, leaseMs, starts);
  }

  async renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean> {
    return this.#queue.renew(eventId, leaseId, leaseMs);
  }

  async reserve(
    eventId: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): Promise<ReserveOutcome> {
    return this.#spending.reserve(eventId, leaseId, cost, shares);
  }

  async settle(eventId: string, leaseId: string, spent: bigint): Promise<void> {
    this.#spending.settle(eventId, leaseId, spent);
  }

  async spentToday(): Promise<bigint> {
    return this.#spending.spentToday();
  }

  async recordAttempt(
    eventId: string,
    leaseId: string,
    attempt: NewAttempt,
  ): Promise<RecordOutcome> {
    return this.#queue.recordAttempt(eventId, leaseId, attempt);
  }

  async postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason: LaunchWait["reason"] | null = null,
  ): Promise<boolean> {
    return this.#queue.postpone(eventId, leaseId, delayMs, reason);
  }

  async recover(): Promise<number> {
    return this.#queue.recover();
  }

  async backlog(): Promise<{ depth: number; oldestCreatedAt: number | null }> {
    return this.#queue.backlog();
  }

  async succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { tokenMint: string; poolAddress: string },
  ): Promise<boolean> {
    return this.#outcomes.succeed(launch, leaseId, token);
  }

  async fail(eventId: string, leaseId: string, error: string): Promise<boolean> {
    return this.#outcomes.fail(eventId, leaseId, error);
  }

  async limit(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#outcomes.limit(wallet, leaseId, error);
  }

  async refuse(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#outcomes.refuse(wallet, leaseId, error);
  }

  async hasLaunchedOn(wallet: string, day: string): Promise<boolean> {
    return this.#outcomes.hasLaunchedOn(wallet, day);
  }
}
