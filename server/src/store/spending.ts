import { sql } from "drizzle-orm";
import {
  decideReservation,
  type LaunchCost,
  type LaunchShares,
  type Reservation,
} from "../domain/day-budget.ts";
import type { Database, Transaction } from "./database.ts";

/**
 * Taken by all who change reservations, before they read any. Not the day's row: at midnight two
 * servers would lock the rows of two days, and both count the wallet's lamports.
 */
export const SPENDING_LOCK = "spending";

/** `lease_lost`, or what was decided. */
export type ReserveOutcome = { readonly kind: "lease_lost" } | Reservation;

/** The rows that may hold a reservation. */
const HOLDERS = {
  launches: { key: "event_id", isOpen: "status = 'pending'", origin: "address, network" },
  pool_migrations: {
    key: "token_mint",
    isOpen: "status <> 'done'",
    origin: "null as address, null as network",
  },
} as const;

const HELD = Object.entries(HOLDERS).map(
  ([table, { key, isOpen }]) =>
    `select ${key} as id, cast(reserved_lamports as bigint) as lamports from ${table}
     where ${isOpen} and reserved_lamports is not null`,
);

/** Lamports as they are read: text on SQLite. */
type Stored = string | bigint | null;

interface Held {
  readonly today: string;
  /** Lamports of today. */
  readonly spent: Stored;
  readonly lamports: Stored;
  readonly day: string | null;
  /** Lamports that all others have set aside. */
  readonly reserved: string;
  readonly network: string | null;
  /** Others of its address and network that came on chain today or have set lamports aside. */
  readonly ofAddress: number;
  readonly ofNetwork: number;
}

/** What launches and migrations of pools take from the launch wallet and set aside, by UTC day. */
export class Spending {
  /** @param holder the table whose rows this one reserves for */
  constructor(
    protected readonly db: Database,
    private readonly holder: keyof typeof HOLDERS,
  ) {}

  /**
   * Sets lamports aside for a row, in the UTC day that is now; replaces what was set aside for it
   * before. Atomic: launches side by side, on several servers too, cannot together exceed a limit that each
   * of them keeps.
   *
   * @param id of the row
   * @param shares what part of the day's limit an address and a network may have; null for any
   */
  reserve(
    id: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): Promise<ReserveOutcome> {
    return this.db.transaction(
      async (transaction): Promise<ReserveOutcome> => {
        const held = await this.#read(transaction, id, leaseId);
        if (!held) return { kind: "lease_lost" };
        const { today, network, ofAddress, ofNetwork } = held;
        const spent = BigInt(held.spent ?? 0) - heldToday(held);
        const launches = network === null ? null : { address: ofAddress, network: ofNetwork };
        const booked = { spent, reserved: BigInt(held.reserved), launches };
        const outcome = decideReservation(cost, booked, shares);
        if (outcome.kind === "reserved") {
          await setSum(transaction, today, spent + cost.lamports);
          await this.#hold(transaction, id, { lamports: cost.lamports, day: today });
        }
        return outcome;
      },
      [SPENDING_LOCK],
    );
  }

  /**
   * Ends a reservation: the day's sum gets what was taken instead of what was set aside.
   * Does nothing without a reservation. A sum of a day that is over stays as it is.
   *
   * @param spent lamports that were taken
   */
  async settle(id: string, leaseId: string, spent: bigint): Promise<void> {
    await this.db.transaction(
      async (transaction) => {
        const held = await this.#read(transaction, id, leaseId);
        if (!held || held.lamports === null) return;
        const { today } = held;
        if (held.day === today) {
          await setSum(transaction, today, BigInt(held.spent ?? 0) - heldToday(held) + spent);
        }
        await this.#hold(transaction, id, { lamports: null, day: null });
      },
      [SPENDING_LOCK],
    );
  }

  /** Lamports that were taken or set aside in the UTC day that is now. */
  async spentToday(): Promise<bigint> {
    const row = await this.db.read((session) =>
      session.get<{ lamports: Stored }>(
        sql`select lamports from spending where day = ${session.today}`,
      ),
    );
    return BigInt(row?.lamports ?? 0);
  }

  /** Reads what decides about the row of a lease, and locks it. */
  #read(transaction: Transaction, id: string, leaseId: string): Promise<Held | null> {
    const { key, isOpen, origin } = HOLDERS[this.holder];
    const launchesBeside = (level: string) => sql`(
      (select count(*) from launches as other where other.status = 'pending'
        and other.reserved_lamports is not null and other.${sql.raw(level)} = own.${sql.raw(level)}
        and other.event_id <> ${id})
      + coalesce((select launched from address_launches
        where address_launches.day = today.day and address_launches.address = own.${sql.raw(level)}), 0))`;
    return transaction.get<Held>(sql`with today as materialized (select ${transaction.today} as day),
        own as materialized (
          select reserved_lamports, reserved_day, ${sql.raw(origin)} from ${sql.raw(this.holder)}
          where ${sql.raw(key)} = ${id} and lease_id = ${leaseId} and ${sql.raw(isOpen)}
          ${transaction.locking("for update")})
      select today.day as today,
        (select lamports from spending where day = today.day) as spent,
        own.reserved_lamports as lamports, own.reserved_day as day,
        (select cast(coalesce(sum(lamports), 0) as text)
          from (${sql.raw(HELD.join(" union all "))}) as held where id <> ${id}) as reserved,
        own.network, ${launchesBeside("address")} as "ofAddress",
        ${launchesBeside("network")} as "ofNetwork"
      from today, own`);
  }

  async #hold(
    transaction: Transaction,
    id: string,
    { lamports, day }: { readonly lamports: bigint | null; readonly day: string | null },
  ): Promise<void> {
    await transaction.run(sql`update ${sql.raw(this.holder)}
      set reserved_lamports = ${lamports === null ? null : String(lamports)}, reserved_day = ${day}
      where ${sql.raw(HOLDERS[this.holder].key)} = ${id}`);
  }
}

/** Gives back what rows have set aside today; under {@link SPENDING_LOCK}, and the rows are locked. */
export async function giveBack(
  transaction: Transaction,
  rows: readonly { readonly lamports: Stored; readonly day: string | null }[],
): Promise<void> {
  const holding = rows.filter(({ lamports }) => lamports !== null);
  if (holding.length === 0) return;
  const row = await transaction.get<{ today: string; lamports: Stored }>(
    sql`with today as materialized (select ${transaction.today} as day)
      select today.day as today, (select lamports from spending where day = today.day) as lamports
      from today`,
  );
  if (!row) throw new Error("a day is one row");
  const { today } = row;
  const given = holding.map((held) => heldToday({ ...held, today }));
  await setSum(
    transaction,
    today,
    given.reduce((rest, lamports) => rest - lamports, BigInt(row.lamports ?? 0)),
  );
}

function heldToday({ lamports, day, today }: Pick<Held, "lamports" | "day" | "today">): bigint {
  return day === today ? BigInt(lamports ?? 0) : 0n;
}

async function setSum(transaction: Transaction, day: string, lamports: bigint): Promise<void> {
  await transaction.run(sql`insert into spending (day, lamports) values (${day}, ${String(lamports)})
    on conflict (day) do update set lamports = excluded.lamports`);
}
