import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
import type { LaunchCost, ReserveOutcome } from "../launch-store.ts";
import type { Database } from "./database.ts";

/** Lamports as they are stored: decimal text. */
interface Held {
  readonly lamports: string | null;
  readonly day: string | null;
}

/** What launches set aside and took: a sum for each UTC day, and each launch's own reservation. */
export class Spending {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sumOf;
  readonly #setSum;
  readonly #heldBy;
  readonly #heldByPending;
  readonly #heldByOthers;
  readonly #hold;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    const { $client: client } = db;
    this.#sumOf = client.query<{ lamports: string }, [string]>(
      "select lamports from spending where day = ?",
    );
    this.#setSum = client.query<null, [string, string]>(
      `insert into spending (day, lamports) values (?, ?)
       on conflict (day) do update set lamports = excluded.lamports`,
    );
    this.#heldBy = client.query<Held, [string, string]>(
      `select reserved_lamports as lamports, reserved_day as day from launches
       where event_id = ? and lease_id = ? and status = 'pending'`,
    );
    this.#heldByPending = client.query<Held, [string]>(
      `select reserved_lamports as lamports, reserved_day as day from launches
       where event_id = ? and status = 'pending'`,
    );
    // The sum as text: the driver reads integers as doubles.
    this.#heldByOthers = client.query<{ lamports: string }, [string]>(
      `select cast(coalesce(sum(cast(reserved_lamports as integer)), 0) as text) as lamports
       from launches
       where status = 'pending' and reserved_lamports is not null and event_id <> ?`,
    );
    this.#hold = client.query<null, [string | null, string | null, string]>(
      "update launches set reserved_lamports = ?, reserved_day = ? where event_id = ?",
    );
  }

  spentToday(): bigint {
    return this.#spentOn(utcDay(this.#clock.now()));
  }

  /** See `LaunchStore.reserve`. */
  reserve(eventId: string, leaseId: string, cost: LaunchCost): ReserveOutcome {
    const { lamports, walletLamports, minWalletLamports, maxDailyLamports } = cost;
    return this.#inTransaction((): ReserveOutcome => {
      const held = this.#heldBy.get(eventId, leaseId);
      if (!held) return { kind: "lease_lost" };
      const reserved = BigInt(this.#heldByOthers.get(eventId)?.lamports ?? 0);
      if (walletLamports - reserved < lamports + minWalletLamports) {
        return { kind: "wallet_short", reserved };
      }
      const today = utcDay(this.#clock.now());
      const spent = this.#spentOn(today) - heldOn(today, held);
      if (maxDailyLamports !== null && spent + lamports > maxDailyLamports) {
        return { kind: "day_spent", spent };
      }
      this.#setSum.run(today, String(spent + lamports));
      this.#hold.run(String(lamports), today, eventId);
      return { kind: "reserved", reserved };
    });
  }

  /** See `LaunchStore.settle`. */
  settle(eventId: string, leaseId: string, spent: bigint): void {
    this.#inTransaction(() => {
      const held = this.#heldBy.get(eventId, leaseId);
      if (!held || held.lamports === null) return;
      const today = utcDay(this.#clock.now());
      if (held.day === today) {
        const sum = this.#spentOn(today) - heldOn(today, held) + spent;
        this.#setSum.run(today, String(sum));
      }
      this.#hold.run(null, null, eventId);
    });
  }

  /** Gives back what a pending launch has set aside; in a transaction that runs already. */
  giveBack(eventId: string): void {
    const held = this.#heldByPending.get(eventId);
    const today = utcDay(this.#clock.now());
    if (!held || held.lamports === null || held.day !== today) return;
    this.#setSum.run(today, String(this.#spentOn(today) - BigInt(held.lamports)));
  }

  #spentOn(day: string): bigint {
    return BigInt(this.#sumOf.get(day)?.lamports ?? 0);
  }

  #inTransaction<Result>(run: () => Result): Result {
    return this.#db.transaction(run, { behavior: "immediate" });
  }
}

/** @returns the lamports of a reservation that was made on this day */
function heldOn(today: string, { lamports, day }: Held): bigint {
  return lamports !== null && day === today ? BigInt(lamports) : 0n;
}
