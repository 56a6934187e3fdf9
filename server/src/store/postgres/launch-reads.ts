import { BoundedMap } from "../../base/bounded-map.ts";
import type { LaunchSummary } from "../launch-row.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { unescapeText } from "./escaped-text.ts";

const FIND: Statement = {
  name: "find_launch",
  text: `select event_id as "eventId", ticker, status, processed_at as "processedAt", error,
      token_mint as "tokenMint", pool_address as "poolAddress"
    from launches where event_id = $1 and wallet = $2`,
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
    // PostgreSQL takes no such text, and no id has it.
    if (eventId.includes("\0")) return null;
    const [row] = await this.#db.read((session) =>
      session.rows<LaunchSummary>(FIND, eventId, wallet),
    );
    if (!row) return null;
    const launch = { ...row, error: row.error === null ? null : unescapeText(row.error) };
    if (launch.status === "success") this.#deployed.set(eventId, { ...launch, wallet });
    return launch;
  }

  /** How many launches are pending, and when the oldest of them was created. */
  async backlog(): Promise<{ depth: number; oldestCreatedAt: number | null }> {
    const [row] = await this.#db.read((session) =>
      session.rows<{ depth: number; oldestCreatedAt: number | null }>(BACKLOG),
    );
    return row ?? { depth: 0, oldestCreatedAt: null };
  }
}
