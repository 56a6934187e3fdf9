import type { LaunchStatusName } from "@tokenctl/shared/types";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { retryOf } from "../insert-decision.ts";
import { IntakeBatch } from "../intake-batch.ts";
import type { RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import { SERVICE_TIME } from "../launch-queue.ts";
import type { Database } from "./database.ts";
import { RELEASE_TICKER } from "./insert-launches.ts";
import type { IntakeReads, IntakeTables } from "./intake-facts.ts";

/** Puts launches that ended without a token back in the queue. */
export class RetryLaunch {
  readonly #db: Database;
  readonly #facts: IntakeReads;
  readonly #tables: IntakeTables;
  readonly #byId;
  readonly #release;
  readonly #requeue;
  readonly #startAnew;

  constructor(db: Database, facts: IntakeReads, tables: IntakeTables) {
    this.#db = db;
    this.#facts = facts;
    this.#tables = tables;
    const { $client: client } = db;
    // Straight to the driver: through a prepared drizzle query the update takes a tenth longer.
    this.#byId = client.query<{ status: LaunchStatusName; ticker: string }, [string, string]>(
      "select status, ticker from launches where event_id = ? and wallet = ?",
    );
    this.#release = client.query<null, [string, number]>(RELEASE_TICKER);
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

  /** See `Launches.retry`. */
  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): RetryOutcome {
    return this.#db.transaction(() => this.#retry(wallet, eventId, origin, limits), {
      behavior: "immediate",
    });
  }

  #retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): RetryOutcome {
    const launch = this.#byId.get(eventId, wallet);
    if (!launch) return { kind: "unknown" };
    const { status, ticker } = launch;
    if (status !== "failed" && status !== "rate_limited") return { kind: "not_ended", status };
    const request = retryOf({ wallet, eventId, ticker }, origin);
    const batch = new IntakeBatch(this.#facts.read([request], limits), limits);
    const refusal = batch.refusal(request);
    if (refusal !== null) return { kind: refusal, ticker };
    const { address, now } = origin;
    if (batch.accept(request).releases) this.#release.run(ticker, now - limits.tickerHoldMs);
    this.#startAnew.run(eventId);
    const network = address === null ? null : networkOf(address);
    this.#requeue.run({ eventId, now, address, network });
    this.#facts.queueRoom.add();
    if (address !== null && Number.isFinite(limits.maxOfAddress)) {
      this.#tables.addressLaunches.add(now, address);
    }
    return { kind: "stored", ticker };
  }
}
