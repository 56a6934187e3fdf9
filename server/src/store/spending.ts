import { type SQL, sql } from "drizzle-orm";
import {
  decideReservation,
  type LaunchCost,
  type LaunchShares,
  type Reservation,
} from "../domain/intake-limits.ts";
import { LeaseLostError, StartRefusedError } from "../domain/journal.ts";
import { arePaused } from "../domain/steering.ts";
import type { Database, Transaction } from "./database.ts";

/**
 * The lock under which reservations are read. The day's row cannot be that lock: at midnight, two
 * servers would lock the rows of two days, and both would count the wallet's lamports.
 */
export const SPENDING_LOCK = "spending";

const RESERVING = {
  launches: {
    table: sql`launches`,
    key: sql`event_id`,
    isOpen: sql`status = 'pending'`,
    origin: sql`address, network`,
  },
  poolMigrations: {
    table: sql`pool_migrations`,
    key: sql`token_mint`,
    isOpen: sql`status <> 'done'`,
    origin: sql`null as address, null as network`,
  },
};

const RESERVATIONS = sql.join(
  Object.values(RESERVING).map(
    ({ table, key, isOpen }) =>
      sql`select ${key} as id, cast(reserved_lamports as bigint) as lamports from ${table}
        where ${isOpen} and reserved_day is not null`,
  ),
  sql` union all `,
);

/** Lamports as the driver returns them: text on SQLite. */
type Stored = string | bigint | null;

interface Reserved {
  readonly today: string;
  readonly spent: Stored;
  /** Lamports that this row has reserved, and the day whose sum includes them. */
  readonly lamports: Stored;
  readonly day: string | null;
  readonly reserved: string;
  readonly network: string | null;
  readonly steering: string | null;
  /** Other launches of its address and network that hold a reservation or landed today. */
  readonly ofAddress: number;
  readonly ofNetwork: number;
}

/** What launches and pool migrations spend and reserve from the launch wallet, by UTC day. */
export class Spending {
  constructor(
    protected readonly db: Database,
    private readonly reserving: keyof typeof RESERVING,
  ) {}

  /**
   * Reserves lamports in the current UTC day, and replaces an earlier reservation. Launches that
   * run at once, even on several servers, cannot together exceed a limit. @param cost with shares
   * that limit an address and a network, or null @throws {LeaseLostError}, {StartRefusedError}
   */
  reserve(
    id: string,
    leaseId: string,
    { shares = null, ...cost }: LaunchCost & { readonly shares?: LaunchShares | null },
  ): Promise<Reservation> {
    return this.#change(id, leaseId, async (transaction, held) => {
      if (!held) throw new LeaseLostError();
      const { today, network, ofAddress, ofNetwork, steering } = held;
      if (arePaused(this.reserving, steering)) throw new StartRefusedError("paused");
      const spent = spentBeside(held);
      const launches = network === null ? null : { address: ofAddress, network: ofNetwork };
      const booked = { spent, reserved: BigInt(held.reserved), launches };
      const outcome = decideReservation(cost, booked, shares);
      if (outcome.kind === "share_used") throw new StartRefusedError("share_used");
      if (outcome.kind === "reserved") {
        await setSum(transaction, today, spent + cost.lamports);
        await this.#hold(transaction, id, { lamports: String(cost.lamports), day: today });
      }
      return outcome;
    });
  }

  /** Replaces a reservation, if any, with what was spent. The sum of a past day does not change. */
  settle(id: string, leaseId: string, spent: bigint): Promise<void> {
    return this.#change(id, leaseId, async (transaction, held) => {
      if (!held || held.lamports === null) return;
      const { day, today } = held;
      if (day === today) await setSum(transaction, today, spentBeside(held) + spent);
      await this.#hold(transaction, id, { lamports: null, day: null });
    });
  }

  async spentToday(): Promise<bigint> {
    const row = await this.db.read((session) =>
      session.get<{ lamports: Stored }>(
        sql`select lamports from spending where day = ${session.today}`,
      ),
    );
    return BigInt(row?.lamports ?? 0);
  }

  #change<T>(
    id: string,
    leaseId: string,
    work: (transaction: Transaction, held: Reserved | null) => Promise<T>,
  ): Promise<T> {
    const { table, key, isOpen, origin } = RESERVING[this.reserving];
    const launchesBeside = (level: SQL) => sql`(
      (select count(*) from launches as other where other.status = 'pending'
        and other.reserved_day is not null and other.${level} = own.${level}
        and other.event_id <> ${id})
      + coalesce((select launched from daily_launches as counted
        where counted.day = today.day and counted.client = own.${level}), 0))`;
    const read = (transaction: Transaction) =>
      transaction.get<Reserved>(sql`with today as materialized (select ${transaction.today} as day),
        own as materialized (
          select reserved_lamports, reserved_day, ${origin} from ${table}
          where ${key} = ${id} and lease_id = ${leaseId} and ${isOpen}
          ${transaction.locking("for update")})
      select today.day as today,
        (select lamports from spending where day = today.day) as spent,
        own.reserved_lamports as lamports, own.reserved_day as day,
        (select cast(coalesce(sum(lamports), 0) as text)
          from (${RESERVATIONS}) as held where id <> ${id}) as reserved,
        own.network, (select settings from steering) as steering, ${launchesBeside(sql`address`)} as "ofAddress",
        ${launchesBeside(sql`network`)} as "ofNetwork"
      from today, own`);
    return this.db.transaction(
      async (transaction) => work(transaction, await read(transaction)),
      [SPENDING_LOCK],
    );
  }

  async #hold(
    transaction: Transaction,
    id: string,
    { lamports, day }: Record<"lamports" | "day", string | null>,
  ): Promise<void> {
    const { table, key } = RESERVING[this.reserving];
    await transaction.run(sql`update ${table}
      set reserved_lamports = ${lamports}, reserved_day = ${day} where ${key} = ${id}`);
  }
}

function spentBeside({ today, spent, lamports, day }: Reserved): bigint {
  return BigInt(spent ?? 0) - (day === today ? BigInt(lamports ?? 0) : 0n);
}

/** Takes today's reservations back; needs {@link SPENDING_LOCK} and locks on the launches' rows. */
export async function giveBack(transaction: Transaction, which: SQL): Promise<void> {
  await transaction.run(sql`update spending set lamports = cast(lamports as bigint) - (
      select coalesce(sum(cast(reserved_lamports as bigint)), 0) from launches
      where ${which} and reserved_day = spending.day)
    where day = ${transaction.today}`);
}

async function setSum(transaction: Transaction, day: string, lamports: bigint): Promise<void> {
  await transaction.run(sql`insert into spending (day, lamports) values (${day}, ${String(lamports)})
    on conflict (day) do update set lamports = excluded.lamports`);
}
