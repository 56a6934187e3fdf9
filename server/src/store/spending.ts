import { eq } from "drizzle-orm";
import type { Clock } from "../base/clock.ts";
import { utcDay } from "../base/utc-day.ts";
import type { Database } from "./database.ts";
import { spending } from "./schema.ts";

/** The lamports that the launch wallet committed to launches, by UTC day. */
export class SpendingStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  spentToday(): bigint {
    const day = utcDay(this.#clock.now());
    const row = this.#db.select().from(spending).where(eq(spending.day, day)).get();
    return row?.lamports ?? 0n;
  }

  record(lamports: bigint): void {
    const day = utcDay(this.#clock.now());
    this.#db.transaction(
      (tx) => {
        const before = tx.select().from(spending).where(eq(spending.day, day)).get();
        const total = (before?.lamports ?? 0n) + lamports;
        tx.insert(spending)
          .values({ day, lamports: total })
          .onConflictDoUpdate({ target: spending.day, set: { lamports: total } })
          .run();
      },
      { behavior: "immediate" },
    );
  }
}
