import type { DayBudget } from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import type { IntakeLimits, RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import type { LaunchStatusName } from "../launch-row.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import type { IntakeBounds } from "./intake-bounds.ts";
import { SERVICE_TIME } from "./launch-waits.ts";
import type { Tickers } from "./tickers.ts";

/** Puts launches that ended without a token back in the queue. */
export class RetryLaunch {
  readonly #db: Database;
  readonly #bounds: IntakeBounds;
  readonly #tickers: Tickers;
  readonly #admission: Admission;
  readonly #byId;
  readonly #requeue;
  readonly #startAnew;

  constructor(db: Database, bounds: IntakeBounds, tickers: Tickers, admission: Admission) {
    this.#db = db;
    this.#bounds = bounds;
    this.#admission = admission;
    this.#tickers = tickers;
    const { $client: client } = db;
    // Straight to the driver: through a prepared drizzle query the update takes a tenth longer.
    this.#byId = client.query<
      { status: LaunchStatusName; ticker: string; tickerReleased: 0 | 1 },
      [string, string]
    >(
      `select status, ticker, ticker_released as tickerReleased from launches
       where event_id = ? and wallet = ?`,
    );
    this.#requeue = client.query(
      `update launches set status = 'pending', processed_at = null, error = null, run_at = $now,
         day = null, signature = null, "transaction" = null, last_valid_block_height = null,
         token_mint = null, pool_address = null, ticker_released = 0, address = $address,
         network = $network, queued_at = ${SERVICE_TIME},
         reserved_lamports = null, reserved_day = null, waiting_for = null, waiting_since = null
       where event_id = $eventId`,
    );
    this.#startAnew = client.query<null, [string]>(
      "update launch_starts set event_id = null where event_id = ?",
    );
  }

  /** See `LaunchStore.retry`. */
  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): RetryOutcome {
    return this.#db.transaction(() => this.#retry(wallet, eventId, origin, limits, budget), {
      behavior: "immediate",
    });
  }

  #retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): RetryOutcome {
    const launch = this.#byId.get(eventId, wallet);
    if (!launch) return { kind: "unknown" };
    const { status, ticker } = launch;
    if (status !== "failed" && status !== "rate_limited") return { kind: "not_ended", status };
    if (launch.tickerReleased) {
      this.#tickers.release(ticker, origin.now, limits);
      if (this.#tickers.isHeld(ticker)) return { kind: "ticker_taken", ticker };
    }
    const { address, now } = origin;
    const asking = { wallet, address, now, isNew: false };
    const refusal =
      origin.objection ??
      this.#admission.refusal(wallet, null, limits) ??
      this.#bounds.refusal(asking, limits, budget);
    if (refusal !== null) return { kind: refusal, ticker };
    this.#startAnew.run(eventId);
    const network = address === null ? null : networkOf(address);
    this.#requeue.run({ eventId, now, address, network });
    this.#bounds.count(asking, limits);
    return { kind: "stored", ticker };
  }
}
