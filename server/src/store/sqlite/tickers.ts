import type { Database } from "bun:sqlite";
import type { IntakeLimits } from "../launch-intake.ts";

/** Which launch holds a ticker. One launch at most does, by a unique index. */
export class Tickers {
  readonly #release;
  readonly #holder;

  constructor(client: Database) {
    // Straight to the driver: through prepared drizzle queries both take a fifth longer.
    this.#release = client.query<null, [string, number]>(
      `update launches set ticker_released = 1
       where ticker = ? and ticker_released = 0
         and status in ('failed', 'rate_limited') and processed_at <= ?`,
    );
    this.#holder = client.query<{ one: 1 }, [string]>(
      "select 1 as one from launches where ticker = ? and ticker_released = 0",
    );
  }

  /**
   * Takes a ticker from the launch that ended without a token long enough ago.
   *
   * @returns whether there was such a launch
   */
  release(ticker: string, now: number, { tickerHoldMs }: IntakeLimits): boolean {
    return this.#release.run(ticker, now - tickerHoldMs).changes > 0;
  }

  isHeld(ticker: string): boolean {
    return this.#holder.get(ticker) !== null;
  }
}
