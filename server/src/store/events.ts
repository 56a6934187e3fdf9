import type { AgentEventType } from "@tokenctl/shared/types";
import { gte, sql } from "drizzle-orm";
import { chunks, type Database, lamportsOf, type Statement, type Transaction } from "./database.ts";
import type { LaunchRow } from "./launch-row.ts";
import { eventCounters, events } from "./schema.ts";

/** A wallet's events commit in the order of their ids, without gaps, and never go back in time. */
export interface EventRow
  extends Readonly<Pick<Row, "id" | "type" | "createdAt" | "transactionHash">>,
    Pick<LaunchRow, "eventId" | "ticker" | "tokenMint"> {
  readonly otherMints: readonly string[];
  /** Null unless the event is of a launch that its agent pays for. */
  readonly payer: "agent" | null;
  /** Lamports that a launch took from its agent; null unless it succeeded or failed on chain. */
  readonly agentLamports: bigint | null;
}

type Row = typeof events.$inferSelect;

/**
 * `last` is the id of the wallet's newest event, or 0. `gone`: events after the cursor were
 * deleted, or it is beyond the newest. Reading can start again after `oldest`.
 */
export type EventsRead =
  | { readonly kind: "events"; readonly events: EventRow[]; readonly last: number }
  | { readonly kind: "gone"; readonly oldest: number; readonly last: number };

/** Called with the wallet after each commit of this store that adds events for it. */
export type OnEvents = (wallet: string) => void;

export type EventSubject = Omit<typeof events.$inferInsert, "seq" | "id" | "type" | "createdAt">;

const wallet = sql.placeholder("wallet");

/** One statement, so that the cursor and the rows match. Returns at least one row. */
const READ: Statement<StoredEvent> = () => sql`select coalesce(counter.last_id, 0) as last,
    (select min(id) from events where wallet = ${wallet}) as oldest,
    event.id as id, type, event.created_at as "createdAt", event_id as "eventId", ticker,
    case when type not in ('launch.failed', 'launch.rate_limited') then launches.token_mint end
      as "tokenMint",
    case when type = 'launch.succeeded' then launches.signature
      else coalesce(paid.signature, transaction_hash) end as "transactionHash",
    case when type like 'launch.%' then payer end as payer,
    case when type = 'launch.succeeded' or (type = 'launch.failed'
      and launches.status = 'failed' and event.created_at >= launches.processed_at) then agent_lamports end as "agentLamports",
    coalesce(paid.other_mints, event.other_mints, '[]') as "otherMints"
  from (select 1 as one) as one
  left join event_counters as counter on counter.wallet = ${wallet}
  left join (
    select * from events where wallet = ${wallet} and id > ${sql.placeholder("after")}
    order by id limit ${sql.placeholder("limit")}) as event on true
  left join launches on launches.seq = event.launch_seq
  left join prepared as paid on paid.id = event.claim_id
  order by event.id`;

interface StoredEvent extends Omit<EventRow, "id" | "agentLamports" | "otherMints"> {
  readonly last: number;
  readonly oldest: number | null;
  readonly id: number | null;
  readonly agentLamports: string | null;
  readonly otherMints: string;
}

export class Events {
  constructor(private readonly db: Database) {}

  /** Reads events after the id `after`, oldest first; null starts at the oldest that is kept. */
  async read(wallet: string, after: number | null, limit: number): Promise<EventsRead> {
    const found = await this.db.read((session) =>
      session.all(READ, { wallet, after: after ?? 0, limit }),
    );
    const { last = 0, oldest = null } = found[0] ?? {};
    const first = (oldest ?? last + 1) - 1;
    if (after !== null && (after < first || after > last)) {
      return { kind: "gone", oldest: first, last };
    }
    const events = found.flatMap(({ last: _, oldest: __, id, otherMints, ...event }) => {
      if (id === null) return [];
      const agentLamports = lamportsOf(event.agentLamports);
      return [{ ...event, id, agentLamports, otherMints: JSON.parse(otherMints) }];
    });
    return { kind: "events", events, last };
  }

  /** Returns wallets with events since `time`: only a hint, as a late commit shows events late. */
  changedSince(time: number): Promise<{ readonly wallet: string; readonly last: number }[]> {
    const { wallet, lastId: last, lastAt } = eventCounters;
    const isChanged = gte(lastAt, Math.floor(time));
    return this.db.read(({ orm }) =>
      orm.select({ wallet, last }).from(eventCounters).where(isChanged),
    );
  }

  /** Deletes events from before `before`. Returns how many: fewer than `limit` if none is left. */
  forget(before: number, limit: number): Promise<number> {
    // Servers take turns: two at once could leave a gap if one of them rolls back.
    return this.db.transaction(
      (transaction) =>
        transaction.run(sql`delete from events where seq in (
          select seq from (select seq, created_at from events order by seq limit ${limit}) as oldest
          where created_at < ${Math.floor(before)})`),
      ["forget events"],
    );
  }
}

/**
 * Adds events in the transaction of their change. The row of a wallet's counter stays locked until
 * the commit, so that events commit in the order of their ids. No row is locked after it.
 */
export async function addEvents(
  transaction: Transaction,
  type: AgentEventType,
  subjects: readonly EventSubject[],
): Promise<void> {
  const { orm, now, greatest } = transaction;
  const byWallet = Map.groupBy(subjects, (subject) => subject.wallet);
  for (const wallets of chunks([...byWallet.keys()].sort())) {
    const counts = wallets.map((wallet) => {
      return { wallet, lastId: byWallet.get(wallet)?.length ?? 0, lastAt: now };
    });
    const counters = await orm
      .insert(eventCounters)
      .values(counts)
      .onConflictDoUpdate({
        target: eventCounters.wallet,
        set: {
          lastId: sql`event_counters.last_id + excluded.last_id`,
          lastAt: sql`${greatest}(event_counters.last_at, excluded.last_at)`,
        },
      })
      .returning();
    const rows = counters.flatMap(({ wallet, lastId, lastAt: createdAt }) => {
      const added = byWallet.get(wallet) ?? [];
      const before = lastId - added.length;
      return added.map((subject, n) => ({ ...subject, id: before + n + 1, type, createdAt }));
    });
    for (const some of chunks(rows)) await orm.insert(events).values(some);
  }
}
