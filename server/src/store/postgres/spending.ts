import type { LaunchShares } from "../../domain/day-budget.ts";
import { type Booked, decideReservation, type LaunchCost } from "../../domain/reservation.ts";
import type { ReserveOutcome } from "../spending.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { lockAll } from "./locks.ts";
import { utcDayOf } from "./server-time.ts";

/**
 * Taken by all who change reservations, before they read any. Not the day's row: at midnight two
 * servers would lock the rows of two days, and both count the wallet's lamports.
 */
const LOCK = lockAll(["spending"]);

interface BookedOn extends Booked {
  readonly day: string;
}

/** The rows that may hold a reservation. */
const HOLDERS = {
  launches: { key: "event_id", isOpen: "status = 'pending'", origin: "address, network" },
  pool_migrations: {
    key: "token_mint",
    isOpen: "status <> 'done'",
    origin: "null as address, null as network",
  },
} as const;

/** @returns SQL for other launches of the same address or network that came on chain today or may */
const launchesBeside = (level: "address" | "network") => `(
  (select count(*) from launches as other where other.status = 'pending'
    and other.reserved_lamports is not null and other.${level} = own.${level}
    and other.event_id <> $1)
  + coalesce((select launched from address_launches
    where address_launches.day = today.day and address_launches.address = own.${level}), 0))`;

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
    const { key, isOpen, origin } = HOLDERS[holder];
    const held = Object.entries(HOLDERS).map(
      ([table, each]) =>
        `select reserved_lamports from ${table}
         where ${each.isOpen} and reserved_lamports is not null and ${each.key} <> $1`,
    );
    this.#read = {
      name: `reserve_read_${holder}`,
      text: `with today as materialized (select ${today} as day),
          own as (select reserved_lamports, reserved_day, ${origin} from ${holder}
            where ${key} = $1 and lease_id = $2 and ${isOpen} for update)
        select today.day,
          coalesce((select lamports from spending where day = today.day), 0)
            - case when own.reserved_day = today.day then own.reserved_lamports else 0 end as spent,
          (select coalesce(sum(reserved_lamports), 0)
            from (${held.join(" union all ")}) as held) as reserved,
          case when own.network is not null then json_build_object(
            'address', ${launchesBeside("address")}, 'network', ${launchesBeside("network")})
          end as launches
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

  /** See `Launches.reserve`. @param id of the row that holds the reservation */
  async reserve(
    id: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): Promise<ReserveOutcome> {
    return await this.#db.transaction(async (session) => {
      const [booked] = await session.rows<BookedOn>(this.#read, id, leaseId);
      if (!booked) return { kind: "lease_lost" };
      const outcome = decideReservation(cost, booked, shares);
      if (outcome.kind === "reserved") {
        const { day, spent } = booked;
        await session.rows(this.#book, id, day, spent + cost.lamports, cost.lamports);
      }
      return outcome;
    }, LOCK);
  }

  /** See `Launches.settle`. */
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
