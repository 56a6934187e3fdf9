import type { Database } from "bun:sqlite";
import { DAY_MS, utcDay } from "../../base/utc-day.ts";

/** Counts launches by network address and UTC day, and drops older days. */
export class AddressLaunches {
  readonly #of;
  readonly #launchedOf;
  readonly #add;
  readonly #addLaunched;
  readonly #drop;
  #droppedOn = "";

  constructor(client: Database) {
    // Straight to the driver: an upsert takes 0.5 µs, and 0.8 µs through a prepared drizzle query.
    this.#of = client.query<{ launches: number }, [string, string]>(
      "select launches from address_launches where day = ? and address = ?",
    );
    this.#launchedOf = client.query<{ launched: number }, [string, string]>(
      "select launched from address_launches where day = ? and address = ?",
    );
    this.#add = client.query<null, [string, string]>(
      `insert into address_launches (day, address, launches) values (?, ?, 1)
       on conflict (day, address) do update set launches = launches + 1`,
    );
    this.#addLaunched = client.query<null, [string, string]>(
      `insert into address_launches (day, address, launches, launched) values (?, ?, 0, 1)
       on conflict (day, address) do update set launched = launched + 1`,
    );
    this.#drop = client.query<null, [string]>("delete from address_launches where day < ?");
  }

  /** How many were accepted from an address. */
  on(day: string, address: string): number {
    return this.#of.get(day, address)?.launches ?? 0;
  }

  /** How many of an address or a network came on chain. */
  launchedOn(day: string, holder: string): number {
    return this.#launchedOf.get(day, holder)?.launched ?? 0;
  }

  add(now: number, address: string): void {
    this.#add.run(this.#openDay(now), address);
  }

  addLaunched(now: number, holders: readonly string[]): void {
    for (const holder of holders) this.#addLaunched.run(this.#openDay(now), holder);
  }

  #openDay(now: number): string {
    const day = utcDay(now);
    // Keeps the day before: the clock may step back over midnight.
    if (this.#droppedOn !== day) this.#drop.run(utcDay(now - DAY_MS));
    this.#droppedOn = day;
    return day;
  }
}
