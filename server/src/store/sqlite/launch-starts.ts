import { type SQL, sql } from "drizzle-orm";
import { utcDay } from "../../base/utc-day.ts";
import { HOUR_MS } from "../launch-intake.ts";
import type { LaunchRow } from "../launch-row.ts";
import type { Database } from "./database.ts";

/**
 * Which launches may be started while their number in an hour is limited. An agent gets at most one
 * of an hour's starts, so that its backlog takes none from others.
 */
export class LaunchStarts {
  readonly #count;
  readonly #add;
  readonly #drop;

  constructor({ $client: client }: Database) {
    this.#count = client.query<{ n: number }, [number]>(
      "select count(*) as n from launch_starts where started_at > ?",
    );
    // An agent that has launched today is leased only to be ended.
    this.#add = client.query<
      null,
      { eventId: string; wallet: string; now: number; day: string; since: number }
    >(
      `insert into launch_starts (event_id, wallet, started_at, address, network)
       select event_id, wallet, $now, address, network from launches
       where event_id = $eventId and not exists (
         select 1 from launches where status = 'success' and wallet = $wallet and day = $day)
       on conflict (event_id) do update set started_at = excluded.started_at
       where started_at <= $since`,
    );
    this.#drop = client.query<null, [number]>("delete from launch_starts where started_at <= ?");
  }

  /** @returns SQL for whether the launch `l` may be leased now */
  mayStart(maxPerHour: number, now: number): SQL {
    const since = now - HOUR_MS;
    const hasRoom = (this.#count.get(since)?.n ?? 0) < maxPerHour;
    const ofOthers = hasRoom
      ? sql`l.wallet not in (select wallet from launch_starts where started_at > ${since})`
      : sql`false`;
    return sql`(signature is not null
      or exists (select 1 from launch_starts as own
        where own.event_id = l.event_id and own.started_at > ${since})
      or exists (select 1 from launches as done
        where done.status = 'success' and done.wallet = l.wallet and done.day = ${utcDay(now)})
      or ${ofOthers})`;
  }

  /** Counts a launch that was leased; once, until it is put back in the queue. */
  add({ eventId, wallet }: LaunchRow, now: number): void {
    const since = now - HOUR_MS;
    this.#drop.run(since);
    this.#add.run({ eventId, wallet, now, day: utcDay(now), since });
  }
}
