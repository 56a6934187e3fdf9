import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import { networkOf } from "../../domain/shares.ts";
import { type IntakeState, RECENT_TOKENS } from "../intake-state.ts";
import type { RequestOrigin } from "../launch-intake.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { reservedText } from "./intake-facts.ts";
import { utcDayOf } from "./server-time.ts";

/** Reads what would decide about a launch, and changes nothing. */
export class IntakeStates {
  readonly #db: PostgresDatabase;
  readonly #read: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    const today = utcDayOf(time);
    this.#read = {
      name: "intake_state",
      text: `select
        (select count(*) from launches where wallet = $1
          and created_at >= $2::bigint and created_at < $2::bigint + ${DAY_MS}) as "ofAgent",
        (select count(*) from launches where wallet = $1 and status = 'pending')
          as "pendingOfAgent",
        exists (select 1 from launches where wallet = $1 and status = 'success' and day = ${today})
          as "hasLaunchedToday",
        coalesce((select launches from address_launches where day = $3 and address = $4), 0)
          as "ofAddress",
        (select count(*) from launches where status = 'pending' and network = $6 and address = $4)
          as "pendingOfAddress",
        (select count(*) from launches where status = 'pending' and network = $6)
          as "pendingOfNetwork",
        coalesce((select launched from address_launches where day = ${today} and address = $4), 0)
          as "launchedOfAddress",
        coalesce((select launched from address_launches where day = ${today} and address = $6), 0)
          as "launchedOfNetwork",
        ${reservedText(today)} as reserved,
        (select count(*) from launches where status = 'pending') as pending,
        coalesce((select lamports from spending where day = ${today}), 0) as "spentLamports",
        (select json_build_object('eventId', event_id, 'wallet', wallet, 'status', status, 'endedAt',
            case when status in ('failed', 'rate_limited') then processed_at end)
          from launches where ticker = $5 and ticker_released = 0) as holder,
        (select coalesce(json_agg(deployed_at - created_at), '[]')
          from (select event_id, deployed_at from tokens order by id desc limit ${RECENT_TOKENS})
            as latest
          join launches using (event_id)
          where deployed_at >= ${time} - ${DAY_MS}) as "recentMs"`,
    };
  }

  /** See `LaunchStore.intakeState`. */
  async read(
    wallet: string,
    ticker: string | null,
    { address, now }: RequestOrigin,
  ): Promise<IntakeState> {
    const [state] = await this.#db.read((session) =>
      session.rows<IntakeState>(
        this.#read,
        wallet,
        startOfUtcDay(now),
        utcDay(now),
        address,
        ticker,
        address === null ? null : networkOf(address),
      ),
    );
    if (!state) throw new Error("the state is one row");
    return state;
  }
}
