import type { EventRow } from "../event-store.ts";
import {
  type ChangedWallet,
  type EventStore,
  type EventsRead,
  eventsRead,
} from "../event-store.ts";
import { JSON_COLUMN } from "../json-column.ts";
import type { Database } from "./database.ts";

interface StoredEvent extends Omit<EventRow, "otherMints"> {
  readonly otherMints: string;
}

/** The event table. Each call is synchronous. */
export class SqliteEventStore implements EventStore {
  readonly #read;
  readonly #ends;
  readonly #changed;
  readonly #forget;

  constructor({ $client: client }: Database) {
    this.#read = client.query<StoredEvent, [string, number, number]>(
      `select id, type, created_at as createdAt, event_id as eventId, ticker,
         token_mint as tokenMint, transaction_hash as transactionHash, other_mints as otherMints
       from events where wallet = ? and id > ? order by id limit ?`,
    );
    this.#ends = client.query<{ last: number; oldest: number | null }, [string]>(
      `select last_id as last, (select min(id) from events where wallet = counter.wallet) as oldest
       from event_counters as counter where wallet = ?`,
    );
    // Reads all wallets: one server alone has no need to ask.
    this.#changed = client.query<ChangedWallet, [number]>(
      "select wallet, last_id as last from event_counters where last_at >= ?",
    );
    this.#forget = client.query<{ id: number }, [number, number]>(
      `delete from events where rowid in (
         select rowid from events where created_at < ? order by created_at, wallet, id limit ?)
       returning id`,
    );
  }

  async read(wallet: string, after: number | null, limit: number): Promise<EventsRead> {
    const ends = this.#ends.get(wallet) ?? { last: 0, oldest: null };
    const rows = this.#read.all(wallet, after ?? 0, limit);
    const events = rows.map(({ otherMints, ...event }) => ({
      ...event,
      otherMints: JSON_COLUMN.fromDriver(otherMints),
    }));
    return eventsRead(after, { events, ...ends });
  }

  async changedSince(time: number): Promise<ChangedWallet[]> {
    return this.#changed.all(time);
  }

  async forget(before: number, limit: number): Promise<number> {
    return this.#forget.all(before, limit).length;
  }
}
