import type { Clock } from "../../base/clock.ts";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import type { IntakeState, StateQuery } from "../intake-state.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import type { LaunchIntake } from "../launches.ts";
import { AddressLaunches } from "./address-launches.ts";
import { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { IntakeReads } from "./intake-facts.ts";
import { IntakeStates } from "./intake-state.ts";
import { RetryLaunch } from "./retry-launch.ts";
import { Spending } from "./spending.ts";

/** Each call is one synchronous transaction. */
export class SqliteLaunchIntake implements LaunchIntake {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #states: IntakeStates;

  constructor(db: Database, clock: Clock) {
    const addressLaunches = new AddressLaunches(db.$client);
    const spending = new Spending(db, clock);
    const tables = { spending, admission: new Admission(db, clock), addressLaunches };
    const facts = new IntakeReads(db, clock, tables);
    this.#inserts = new InsertLaunches(db, facts, tables);
    this.#retries = new RetryLaunch(db, facts, tables);
    this.#states = new IntakeStates(db, clock, facts);
  }

  async insert(batch: readonly NewLaunch[], limits: IntakeLimits): Promise<InsertOutcome[]> {
    return this.#inserts.insert(batch, limits);
  }

  async retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): Promise<RetryOutcome> {
    return this.#retries.retry(wallet, eventId, origin, limits);
  }

  async intakeState(query: StateQuery): Promise<IntakeState> {
    return this.#states.read(query);
  }
}
