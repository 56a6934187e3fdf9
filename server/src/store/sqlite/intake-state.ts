import type { Clock } from "../../base/clock.ts";
import { DAY_MS, utcDay } from "../../base/utc-day.ts";
import { IntakeBatch } from "../intake-batch.ts";
import { asRequest, type IntakeState, RECENT_TOKENS, type StateQuery } from "../intake-state.ts";
import type { Database } from "./database.ts";
import type { IntakeReads } from "./intake-facts.ts";

/** Reads what would decide about a launch, and changes nothing. */
export class IntakeStates {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #facts: IntakeReads;
  readonly #agent;
  readonly #recent;

  constructor(db: Database, clock: Clock, facts: IntakeReads) {
    this.#db = db;
    this.#clock = clock;
    this.#facts = facts;
    const { $client: client } = db;
    this.#agent = client.query<
      { pending: number; hasLaunchedToday: 0 | 1 },
      { wallet: string; today: string }
    >(
      `select
         (select count(*) from launches where wallet = $wallet and status = 'pending') as pending,
         exists (select 1 from launches where wallet = $wallet and status = 'success'
            and day = $today) as hasLaunchedToday`,
    );
    this.#recent = client.query<{ ms: number }, [number]>(
      `select deployed_at - created_at as ms
       from (select event_id, deployed_at from tokens order by id desc limit ${RECENT_TOKENS})
       join launches using (event_id) where deployed_at >= ?`,
    );
  }

  /** See `Launches.intakeState`. */
  read(query: StateQuery): IntakeState {
    const [request, limits] = asRequest(query);
    const time = this.#clock.now();
    return this.#db.transaction(() => {
      const agent = this.#agent.get({ wallet: query.wallet, today: utcDay(time) });
      return {
        ...new IntakeBatch(this.#facts.read([request], limits), limits).factsOf(request),
        pendingOfAgent: agent?.pending ?? 0,
        hasLaunchedToday: agent?.hasLaunchedToday === 1,
        recentMs: this.#recent.all(time - DAY_MS).map(({ ms }) => ms),
      };
    });
  }
}
