import {
  type DayBudget,
  type InsertOutcome,
  type IntakeLimits,
  type NewLaunch,
  type RequestOrigin,
  type RetryOutcome,
  UNBOUNDED,
} from "../launch-intake.ts";
import type { LaunchRow, LaunchSummary, OnEnded, SignedAttempt } from "../launch-row.ts";
import type {
  LaunchCost,
  LaunchStore,
  RecordOutcome,
  ReserveOutcome,
  StartLimits,
} from "../launch-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { Intake } from "./intake.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { LaunchQueue } from "./launch-queue.ts";
import { LaunchReads } from "./launch-reads.ts";
import { RetryLaunch } from "./retry-launch.ts";
import { Spending } from "./spending.ts";

/** The launch table. The files beside this one hold its statements. */
export class PostgresLaunchStore implements LaunchStore {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #queue: LaunchQueue;
  readonly #outcomes: LaunchOutcomes;
  readonly #reads: LaunchReads;
  readonly #spending: Spending;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEnded: OnEnded) {
    const intake = new Intake(db, time);
    this.#inserts = new InsertLaunches(db, intake, time);
    this.#retries = new RetryLaunch(intake);
    this.#queue = new LaunchQueue(db, time);
    this.#outcomes = new LaunchOutcomes(db, time, onEnded);
    this.#reads = new LaunchReads(db);
    this.#spending = new Spending(db, time);
  }

  insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
    budget: DayBudget | null = null,
  ): Promise<InsertOutcome[]> {
    return this.#inserts.insert(batch, limits, budget);
  }

  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits = UNBOUNDED,
    budget: DayBudget | null = null,
  ): Promise<RetryOutcome> {
    return this.#retries.retry(wallet, eventId, origin, limits, budget);
  }

  find(wallet: string, eventId: string): Promise<LaunchSummary | null> {
    return this.#reads.find(wallet, eventId);
  }

  lease(leaseId: string, leaseMs: number, starts?: StartLimits): Promise<LaunchRow | null> {
    return this.#queue.lease(leaseId, leaseMs, starts);
  }

  renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean> {
    return this.#queue.renew(eventId, leaseId, leaseMs);
  }

  reserve(eventId: string, leaseId: string, cost: LaunchCost): Promise<ReserveOutcome> {
    return this.#spending.reserve(eventId, leaseId, cost);
  }

  settle(eventId: string, leaseId: string, spent: bigint): Promise<void> {
    return this.#spending.settle(eventId, leaseId, spent);
  }

  spentToday(): Promise<bigint> {
    return this.#spending.spentToday();
  }

  recordAttempt(eventId: string, leaseId: string, attempt: SignedAttempt): Promise<RecordOutcome> {
    return this.#queue.recordAttempt(eventId, leaseId, attempt);
  }

  postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason: string | null = null,
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
