import { type Clock, systemClock } from "../../base/clock.ts";

/** Milliseconds since the Unix epoch, by the database's clock. */
export const DATABASE_TIME = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * The database's time, which all its servers agree on whatever their own clocks say. It runs with
 * this machine's time since the start, which cannot be set, and is corrected at each measurement.
 */
export class ServerTime implements Clock {
  readonly after: Clock["after"];
  readonly elapsed: Clock["elapsed"];
  #offset: number | null = null;

  constructor(clock: Clock = systemClock) {
    this.after = clock.after.bind(clock);
    this.elapsed = clock.elapsed.bind(clock);
  }

  now(): number {
    if (this.#offset === null) throw new Error("the database's time was not measured yet");
    return Math.round(this.elapsed() + this.#offset);
  }

  /**
   * Corrects the time by one reading, and no further than the reading is certain: the database's clock was
   * read somewhere between the question and the answer, whose times are those of `elapsed()`.
   */
  correct(databaseTime: number, askedAt: number, answeredAt: number): void {
    // All of them are cut to whole milliseconds.
    const earliest = databaseTime - answeredAt - 1;
    const latest = databaseTime + 1 - askedAt;
    const offset = this.#offset ?? (earliest + latest) / 2;
    this.#offset = Math.min(Math.max(offset, earliest), latest);
  }
}

/** @returns SQL for the UTC day of a time, like `utcDay` */
export function utcDayOf(milliseconds: string): string {
  return `to_char(to_timestamp(${milliseconds} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;
}
