import type { Database } from "bun:sqlite";
import { DAY_MS, utcDay } from "../base/utc-day.ts";

/** How many launches were accepted from each network address, by UTC day; older days are dropped. */
export class AddressLaunches {
  readonly #of;
  readonly #add;
  readonly #drop;
  #droppedOn = "";

  constructor(client: Database) {
    this.#of = client.query<{ launches: number }, [string, string]>(
      "select launches from address_launches where day = ? and address = ?",
    );
    this.#add = client.query<null, [string, string]>(
      `insert into address_launches (day, address, launches) values (?, ?, 1)
       on conflict (day, address) do update set launches = launches + 1`,
    );
    this.#drop = client.query<null, [string]>("delete from address_launches where day < ?");
  }

  on(day: string, address: string): number {
    return this.#of.get(day, address)?.launches ?? 0;
  }

  add(now: number, address: string): void {
    const day = utcDay(now);
    // The day before is kept: the clock may step back over midnight.
    if (this.#droppedOn !== day) this.#drop.run(utcDay(now - DAY_MS));
    this.#droppedOn = day;
    this.#add.run(day, address);
  }
}
