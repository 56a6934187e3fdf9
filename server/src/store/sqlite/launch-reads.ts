import { BoundedMap } from "../../base/bounded-map.ts";
import type { LaunchSummary } from "../launch-row.ts";
import type { Database } from "./database.ts";

/** What agents read about their launches. */
export class LaunchReads {
  readonly #byId;
  /**
   * Launches with a token, by event id, for agents that go on asking. They stay correct: nothing
   * changes such a launch any more, and no other process writes to the database.
   */
  readonly #deployed = new BoundedMap<string, LaunchSummary & { readonly wallet: string }>(10_000);

  constructor(db: Database) {
    // Straight to the driver: this read takes 2.8 µs, and 3.5 µs through a prepared drizzle query.
    this.#byId = db.$client.query<LaunchSummary, [string, string]>(
      `select event_id as eventId, ticker, status, processed_at as processedAt, error,
         token_mint as tokenMint, pool_address as poolAddress
       from launches where event_id = ? and wallet = ?`,
    );
  }

  /** One launch of a wallet; what belongs to another wallet does not exist. */
  find(wallet: string, eventId: string): LaunchSummary | null {
    const known = this.#deployed.get(eventId);
    if (known?.wallet === wallet) return known;
    const launch = this.#byId.get(eventId, wallet);
    if (launch?.status === "success") this.#deployed.set(eventId, { ...launch, wallet });
    return launch;
  }
}
