import type { IntakeLimits } from "../../domain/intake-limits.ts";
import type { IntakeState, StateQuery } from "../intake-state.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import type { LaunchIntake } from "../launches.ts";
import type { PostgresDatabase } from "./database.ts";
import { InsertLaunches } from "./insert-launches.ts";
import { Intake } from "./intake.ts";
import { IntakeStates } from "./intake-state.ts";
import { RetryLaunch } from "./retry-launch.ts";

export class PostgresLaunchIntake implements LaunchIntake {
  readonly #inserts: InsertLaunches;
  readonly #retries: RetryLaunch;
  readonly #states: IntakeStates;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    const intake = new Intake(db, time);
    this.#inserts = new InsertLaunches(db, intake, time);
    this.#retries = new RetryLaunch(intake);
    this.#states = new IntakeStates(db, time, intake.facts);
  }

  insert(batch: readonly NewLaunch[], limits: IntakeLimits): Promise<InsertOutcome[]> {
    return this.#inserts.insert(batch, limits);
  }

  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): Promise<RetryOutcome> {
    return this.#retries.retry(wallet, eventId, origin, limits);
  }

  intakeState(query: StateQuery): Promise<IntakeState> {
    return this.#states.read(query);
  }
}
