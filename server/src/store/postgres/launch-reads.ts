import { BoundedMap } from "../../base/bounded-map.ts";
import type { LaunchQuery, LaunchSummary, ListedLaunch } from "../launch-row.ts";
import { MAX_PLACE, type WaitColumns, waitOf } from "../launch-wait.ts";
import type { Page } from "../tokens.ts";
import type { PostgresDatabase, Statement } from "./database.ts";

type StoredSummary = Omit<LaunchSummary, "wait"> & WaitColumns;
type StoredListed = Omit<ListedLaunch, "wait"> & WaitColumns;

const SUMMARY = `event_id as "eventId", ticker, status, created_at as "createdAt", processed_at as "processedAt", error,
  token_mint as "tokenMint", pool_address as "poolAddress", waiting_for as "waitingFor",
  waiting_since as "waitingSince", run_at as "runAt", lease_id as "leaseId"`;

const FIND: Statement = {
  name: "find_launch",
  text: `select ${SUMMARY} from launches where event_id = $1 and wallet = $2`,
};

const PLACE: Statement = {
  name: "queue_place",
  text: `select count(*) as before from (
      select 1 from launches
      where status = 'pending'
        and (run_at, seq) < (select run_at, seq from launches where event_id = $1)
      limit $2) as earlier`,
};

const LIST: Statement = {
  name: "list_launches",
  text: `select seq as id, name, ${SUMMARY} from launches
    where wallet = $1 and ($2::text is null or status = $2) and seq < $3
    order by seq desc limit $4`,
};

const BACKLOG: Statement = {
  name: "backlog",
  text: `select count(*) as depth, min(created_at) as "oldestCreatedAt"
    from launches where status = 'pending'`,
};

/** What is read about launches. */
export class LaunchReads {
  readonly #db: PostgresDatabase;
  /**
   * Launches with a token, by event id, for agents that go on asking. They stay correct: no server
   * changes such a launch any more.
   */
  readonly #deployed = new BoundedMap<string, LaunchSummary & { readonly wallet: string }>(10_000);

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  /** One launch of a wallet; what belongs to another wallet does not exist. */
  async find(wallet: string, eventId: string): Promise<LaunchSummary | null> {
    const known = this.#deployed.get(eventId);
    if (known?.wallet === wallet) return known;
    const launch = await this.#db.read(async (session): Promise<LaunchSummary | null> => {
      const [row] = await session.rows<StoredSummary>(FIND, eventId, wallet);
      if (!row) return null;
      const found = toSummary(row);
      if (found.wait?.reason !== "queue") return found;
      const [place] = await session.rows<{ before: number }>(PLACE, eventId, MAX_PLACE - 1);
      return { ...found, wait: { ...found.wait, place: (place?.before ?? 0) + 1 } };
    });
    if (launch?.status === "success") this.#deployed.set(eventId, { ...launch, wallet });
    return launch;
  }

  /** See `LaunchStore.list`. */
  async list(wallet: string, { status, limit, before }: LaunchQuery): Promise<Page<ListedLaunch>> {
    const most = limit === null ? null : limit + 1;
    const rows = await this.#db.read((session) =>
      session.rows<StoredListed>(LIST, wallet, status, before ?? Number.MAX_SAFE_INTEGER, most),
    );
    const last = limit !== null && rows.length > limit ? rows[limit - 1] : undefined;
    return {
      rows: rows.slice(0, limit ?? rows.length).map(toListed),
      next: last?.id ?? null,
    };
  }

  /** How many launches are pending, and when the oldest of them was created. */
  async backlog(): Promise<{ depth: number; oldestCreatedAt: number | null }> {
    const [row] = await this.#db.read((session) =>
      session.rows<{ depth: number; oldestCreatedAt: number | null }>(BACKLOG),
    );
    return row ?? { depth: 0, oldestCreatedAt: null };
  }
}

function toSummary(row: StoredSummary): LaunchSummary {
  const { waitingFor, waitingSince, runAt, leaseId, ...summary } = row;
  return { ...summary, wait: waitOf(row) };
}

function toListed(row: StoredListed): ListedLaunch {
  return { ...toSummary(row), id: row.id, name: row.name };
}
