import { LONGEST_STEP_MS } from "../launch-store.ts";
import type { PostgresDatabase, Statement } from "./database.ts";

/** SQL for the service's time now. */
export const SERVICE_TIME = "coalesce((select ms from service_time), 0)";

/** The service's time, by which launches wait. */
export class LaunchWaits {
  readonly #db: PostgresDatabase;
  readonly #pass: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    const step = "excluded.ticked_at - service_time.ticked_at";
    this.#pass = {
      name: "pass_time",
      text: `insert into service_time (id, ms, ticked_at) values (1, 0, ${time})
        on conflict (id) do update set ticked_at = excluded.ticked_at,
          ms = service_time.ms + case when $1::boolean
            then least(greatest(0, ${step}), ${LONGEST_STEP_MS}) else 0 end
        returning ms`,
    };
  }

  /** See `LaunchStore.passTime`. */
  async pass(isCounted: boolean): Promise<number> {
    const [row] = await this.#db.write((session) =>
      session.rows<{ ms: number }>(this.#pass, isCounted),
    );
    return row?.ms ?? 0;
  }
}
