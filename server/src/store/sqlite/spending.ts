import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
import type { Committed, LaunchShares } from "../../domain/day-budget.ts";
import { decideReservation, type LaunchCost } from "../../domain/reservation.ts";
import type { ReserveOutcome } from "../spending.ts";
import { AddressLaunches } from "./address-launches.ts";
import type { Database } from "./database.ts";

/** Lamports as they are stored: decimal text. */
interface Held {
  readonly lamports: string | null;
  readonly day: string | null;
  readonly address: string | null;
  readonly network: string | null;
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

/**
 * What the launch wallet set aside and took: a sum for each UTC day, and the reservation of each
 * launch and each migration of a pool.
 */
export class Spending {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sumOf;
  readonly #setSum;
  readonly #heldBy;
  readonly #heldByPending;
  readonly #heldByOthers;
  readonly #reservedOn;
  readonly #reservedBeside;
  readonly #hold;
  readonly #addressLaunches: AddressLaunches;

  /** @param holder the table whose rows this one reserves for */
  constructor(db: Database, clock: Clock, holder: keyof typeof HOLDERS = "launches") {
    this.#db = db;
    this.#clock = clock;
    const { $client: client } = db;
    this.#addressLaunches = new AddressLaunches(client);
    const { key, isOpen, origin } = HOLDERS[holder];
    this.#sumOf = client.query<{ lamports: string }, [string]>(
      "select lamports from spending where day = ?",
    );
    this.#setSum = client.query<null, [string, string]>(
      `insert into spending (day, lamports) values (?, ?)
       on conflict (day) do update set lamports = excluded.lamports`,
    );
    this.#heldBy = client.query<Held, [string, string]>(
      `select reserved_lamports as lamports, reserved_day as day, ${origin} from ${holder}
       where ${key} = ? and lease_id = ? and ${isOpen}`,
    );
    const held = Object.entries(HOLDERS).map(
      ([table, each]) =>
        `select reserved_lamports as lamports from ${table}
         where ${each.isOpen} and reserved_lamports is not null and ${each.key} <> ?1`,
    );
    this.#heldByPending = client.query<Held, [string]>(
      `select reserved_lamports as lamports, reserved_day as day, address, network from launches
       where event_id = ? and status = 'pending'`,
    );
    const reserved = "from launches where status = 'pending' and reserved_lamports is not null";
    this.#reservedOn = client.query<{ n: number }, [string]>(
      `select count(*) as n ${reserved} and reserved_day = ?`,
    );
    this.#reservedBeside = client.query<
      { address: number; network: number },
      { id: string; address: string; network: string }
    >(
      `select coalesce(sum(address = $address), 0) as address,
         coalesce(sum(network = $network), 0) as network
       ${reserved} and event_id <> $id`,
    );
    // The sum as text: the driver reads integers as doubles.
    this.#heldByOthers = client.query<{ lamports: string }, [string]>(
      `select cast(coalesce(sum(cast(lamports as integer)), 0) as text) as lamports
       from (${held.join(" union all ")})`,
    );
    this.#hold = client.query<null, [string | null, string | null, string]>(
      `update ${holder} set reserved_lamports = ?, reserved_day = ? where ${key} = ?`,
    );
  }

  spentToday(): bigint {
    return this.#spentOn(utcDay(this.#clock.now()));
  }

  /** See `IntakeCounts.spending`. */
  committedToday(): Committed {
    const day = utcDay(this.#clock.now());
    return { lamports: this.#spentOn(day), reserved: this.#reservedOn.get(day)?.n ?? 0 };
  }

  /** See `Launches.reserve`. @param id of the row that holds the reservation */
  reserve(
    id: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): ReserveOutcome {
    return this.#inTransaction((): ReserveOutcome => {
      const held = this.#heldBy.get(id, leaseId);
      if (!held) return { kind: "lease_lost" };
      const reserved = BigInt(this.#heldByOthers.get(id)?.lamports ?? 0);
      const today = utcDay(this.#clock.now());
      const spent = this.#spentOn(today) - heldOn(today, held);
      const launches = shares && this.#launchesBeside(id, held, today);
      const outcome = decideReservation(cost, { spent, reserved, launches }, shares);
      if (outcome.kind === "reserved") {
        this.#setSum.run(today, String(spent + cost.lamports));
        this.#hold.run(String(cost.lamports), today, id);
      }
      return outcome;
    });
  }

  /** Counts other launches of the same address and network, that came on chain today or may. */
  #launchesBeside(id: string, { address, network }: Held, today: string) {
    if (address === null || network === null) return null;
    const reserved = this.#reservedBeside.get({ id, address, network });
    return {
      address: (reserved?.address ?? 0) + this.#addressLaunches.launchedOn(today, address),
      network: (reserved?.network ?? 0) + this.#addressLaunches.launchedOn(today, network),
    };
  }

  /** See `Launches.settle`. */
  settle(id: string, leaseId: string, spent: bigint): void {
    this.#inTransaction(() => {
      const held = this.#heldBy.get(id, leaseId);
      if (!held || held.lamports === null) return;
      const today = utcDay(this.#clock.now());
      if (held.day === today) {
        const sum = this.#spentOn(today) - heldOn(today, held) + spent;
        this.#setSum.run(today, String(sum));
      }
      this.#hold.run(null, null, id);
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
