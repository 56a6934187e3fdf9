import type { LaunchCost, ReserveOutcome } from "../launch-store.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { lockAll } from "./locks.ts";
import { utcDayOf } from "./server-time.ts";

/**
 * Taken by all who change reservations, before they read any. Not the day's row: at midnight two
 * servers would lock the rows of two days, and both count the wallet's lamports.
 */
export const LOCK = lockAll(["spending"]);

interface Booked {
  readonly day: string;
  /** Lamports of the day, without what was set aside for this one before. */
  readonly spent: bigint;
  /** Lamports that all others have set aside. */
  readonly reserved: bigint;
}

/** The rows that may hold a reservation. */
const HOLDERS = {
  launches: { key: "event_id", isOpen: "status = 'pending'" },
  pool_migrations: { key: "token_mint", isOpen: "status <> 'done'" },
} as const;

/** What launches and migrations of pools take from the launch wallet and set aside, by UTC day. */
export class Spending {
  readonly #db: PostgresDatabase;
  readonly #read: Statement;
  readonly #book: Statement;
  readonly #settle: Statement;
  readonly #today: Statement;

  /**
   * @param time SQL for the database's time in milliseconds
   * @param holder the table whose rows this one reserves for
   */
  constructor(db: PostgresDatabase, time: string, holder: keyof typeof HOLDERS = "launches") {
    this.#db = db;
    const today = utcDayOf(time);
    const { key, isOpen } = HOLDERS[holder];
    const held = Object.entries(HOLDERS).map(
      ([table, each]) =>
        `select reserved_lamports from ${table}
         where ${each.isOpen} and reserved_lamports is not null and ${each.key} <> $1`,
    );
    this.#read = {
      name: `reserve_read_${holder}`,
      text: `with today as materialized (select ${today} as day),
          own as (select reserved_lamports, reserved_day from ${holder}
            where ${key} = $1 and lease_id = $2 and ${isOpen} for update)
        select today.day,
          coalesce((select lamports from spending where day = today.day), 0)
            - case when own.reserved_day = today.day then own.reserved_lamports else 0 end as spent,
          (select coalesce(sum(reserved_lamports), 0)
            from (${held.join(" union all ")}) as held) as reserved
        from today, own`,
    };
    this.#book = {
      name: `reserve_book_${holder}`,
      text: `with booked as (
          insert into spending (day, lamports) values ($2, $3)
          on conflict (day) do update set lamports = excluded.lamports)
        update ${holder} set reserved_lamports = $4, reserved_day = $2 where ${key} = $1`,
    };
    this.#settle = {
      name: `settle_${holder}`,
      text: `with own as (
          select reserved_lamports, reserved_day from ${holder}
          where ${key} = $1 and lease_id = $2 and ${isOpen}
            and reserved_lamports is not null for update),
        corrected as (
          update spending set lamports = lamports + $3 - own.reserved_lamports
          from own where day = own.reserved_day and day = ${today})
        update ${holder} set reserved_lamports = null, reserved_day = null
        where ${key} = $1 and exists (select 1 from own)`,
    };
    this.#today = {
      name: "spent_today",
      text: `select lamports from spending where day = ${today}`,
    };
  }

  /** See `LaunchStore.reserve`. @param id of the row that holds the reservation */
  async reserve(id: string, leaseId: string, cost: LaunchCost): Promise<ReserveOutcome> {
    return await this.#db.transaction(async (session) => {
      const [booked] = await session.rows<Booked>(this.#read, id, leaseId);
      if (!booked) return { kind: "lease_lost" };
      const { day, spent, reserved } = booked;
      if (cost.walletLamports - reserved < cost.lamports + cost.minWalletLamports) {
        return { kind: "wallet_short", reserved };
      }
      const total = spent + cost.lamports;
      if (cost.maxDailyLamports !== null && total > cost.maxDailyLamports) {
        return { kind: "day_spent", spent };
      }
      await session.rows(this.#book, id, day, total, cost.lamports);
      return { kind: "reserved", reserved };
    }, LOCK);
  }

  /** See `LaunchStore.settle`. */
  async settle(id: string, leaseId: string, spent: bigint): Promise<void> {
    await this.#db.transaction((session) => session.rows(this.#settle, id, leaseId, spent), LOCK);
  }

  async spentToday(): Promise<bigint> {
    return await this.#db.read((session) => this.spentIn(session));
  }

  /** Like `spentToday`, in a transaction that runs already. */
  async spentIn(session: Session): Promise<bigint> {
    const [row] = await session.rows<{ lamports: bigint }>(this.#today);
    return row?.lamports ?? 0n;
  }
}
