import type { EventRow } from "../event-store.ts";
import {
  type ChangedWallet,
  type EventStore,
  type EventsRead,
  eventsRead,
} from "../event-store.ts";
import { JSON_COLUMN } from "../json-column.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { lockAll } from "./locks.ts";

/** One statement: a cursor is compared with the same rows that are read. It returns one row at least. */
const READ: Statement = {
  name: "read_events",
  text: `select coalesce(counter.last_id, 0) as last,
      (select min(id) from events where wallet = $1) as oldest,
      event.id as id, type, created_at as "createdAt", event_id as "eventId", ticker,
      token_mint as "tokenMint", transaction_hash as "transactionHash", other_mints as "otherMints"
    from (select 1) as one
    left join event_counters as counter on counter.wallet = $1
    left join (select * from events where wallet = $1 and id > $2 order by id limit $3) as event on true
    order by event.id`,
};

const CHANGED: Statement = {
  name: "changed_wallets",
  text: `select wallet, last_id as last from event_counters where last_at >= $1`,
};

const FORGET: Statement = {
  name: "forget_events",
  text: `delete from events using (
      select wallet, id from events where created_at < $1
      order by created_at, wallet, id limit $2) as old
    where events.wallet = old.wallet and events.id = old.id returning 1 as one`,
};

interface ReadRow extends Omit<EventRow, "id" | "otherMints"> {
  readonly last: number;
  readonly oldest: number | null;
  readonly id: number | null;
  readonly otherMints: string;
}

/** The event table. */
export class PostgresEventStore implements EventStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async read(wallet: string, after: number | null, limit: number): Promise<EventsRead> {
    const rows = await this.#db.read((session) =>
      session.rows<ReadRow>(READ, wallet, after ?? 0, limit),
    );
    const { last = 0, oldest = null } = rows[0] ?? {};
    const events = rows.flatMap(({ last: _, oldest: __, id, otherMints, ...event }) =>
      id === null ? [] : [{ id, ...event, otherMints: JSON_COLUMN.fromDriver(otherMints) }],
    );
    return eventsRead(after, { events, oldest, last });
  }

  async changedSince(time: number): Promise<ChangedWallet[]> {
    return await this.#db.read((session) => session.rows<ChangedWallet>(CHANGED, Math.floor(time)));
  }

  async forget(before: number, limit: number): Promise<number> {
    // Two servers at once could leave a gap if one of them rolls back.
    const deleted = await this.#db.transaction(
      (session) => session.rows(FORGET, Math.floor(before), limit),
      lockAll(["forget events"]),
    );
    return deleted.length;
  }
}
