import { DAY_MS } from "../../base/utc-day.ts";
import type { IntakeFacts } from "../../domain/intake.ts";
import { IntakeBatch } from "../intake-batch.ts";
import { asRequest, type IntakeState, RECENT_TOKENS, type StateQuery } from "../intake-state.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { readFacts } from "./intake-facts.ts";
import { utcDayOf } from "./server-time.ts";

/** Reads what would decide about a launch, and changes nothing. */
export class IntakeStates {
  readonly #db: PostgresDatabase;
  readonly #facts: Statement;
  readonly #agent: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, facts: Statement) {
    this.#db = db;
    this.#facts = facts;
    this.#agent = {
      name: "intake_of_agent",
      text: `select
        (select count(*) from launches where wallet = $1 and status = 'pending')
          as "pendingOfAgent",
        exists (select 1 from launches
          where wallet = $1 and status = 'success' and day = ${utcDayOf(time)})
          as "hasLaunchedToday",
        (select coalesce(json_agg(deployed_at - created_at), '[]')
          from (select event_id, deployed_at from tokens order by id desc limit ${RECENT_TOKENS})
            as latest
          join launches using (event_id)
          where deployed_at >= ${time} - ${DAY_MS}) as "recentMs"`,
    };
  }

  /** See `Launches.intakeState`. */
  async read(query: StateQuery): Promise<IntakeState> {
    const [request, limits] = asRequest(query);
    return await this.#db.read(async (session) => {
      const [facts, [agent]] = await Promise.all([
        readFacts(session, this.#facts, [request], limits, { isCounting: true, isDrawing: false }),
        session.rows<Omit<IntakeState, keyof IntakeFacts>>(this.#agent, query.wallet),
      ]);
      if (!agent) throw new Error("the counts are one row");
      return { ...new IntakeBatch(facts, limits).factsOf(request), ...agent };
    });
  }
}
