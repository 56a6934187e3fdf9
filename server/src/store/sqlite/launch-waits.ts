import type { Clock } from "../../base/clock.ts";
import { LONGEST_STEP_MS } from "../launch-store.ts";
import type { Database } from "./database.ts";

/** SQL for the service's time now. */
export const SERVICE_TIME = "coalesce((select ms from service_time), 0)";

/** The service's time, by which launches wait. */
export class LaunchWaits {
  readonly #clock: Clock;
  readonly #pass;

  constructor({ $client: client }: Database, clock: Clock) {
    this.#clock = clock;
    this.#pass = client.query<{ ms: number }, { now: number; isCounted: boolean }>(
      `insert into service_time (id, ms, ticked_at) values (1, 0, $now)
       on conflict (id) do update set ticked_at = excluded.ticked_at, ms = ms + case when $isCounted
         then min(max(0, excluded.ticked_at - ticked_at), ${LONGEST_STEP_MS}) else 0 end
       returning ms`,
    );
  }

  /** See `LaunchStore.passTime`. */
  pass(isCounted: boolean): number {
    return this.#pass.get({ now: this.#clock.now(), isCounted })?.ms ?? 0;
  }
}
