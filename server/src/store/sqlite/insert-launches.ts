import type { DayBudget } from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import type { InsertOutcome, IntakeLimits, NewLaunch } from "../launch-intake.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import type { IntakeBounds } from "./intake-bounds.ts";
import { SERVICE_TIME } from "./launch-waits.ts";
import type { Tickers } from "./tickers.ts";

/** Puts new launches in the queue. Every decision is made in the transaction that stores them. */
export class InsertLaunches {
  readonly #db: Database;
  readonly #bounds: IntakeBounds;
  readonly #tickers: Tickers;
  readonly #admission: Admission;
  readonly #byKey;
  readonly #hasImage;
  readonly #insertOne;

  constructor(db: Database, bounds: IntakeBounds, tickers: Tickers, admission: Admission) {
    this.#db = db;
    this.#bounds = bounds;
    this.#admission = admission;
    this.#tickers = tickers;
    const { $client: client } = db;
    // Straight to the driver: prepared drizzle queries take a third longer for the key and a fifth
    // for the insert. drizzle 0.45 also writes a partial index's `where` after `do nothing`, which
    // SQLite refuses.
    this.#byKey = client.query<{ eventId: string; requestHash: string }, [string, string]>(
      `select event_id as eventId, request_hash as requestHash from launches
       where wallet = ? and idempotency_key = ?`,
    );
    this.#hasImage = client.query<{ one: 1 }, [string]>(
      "select 1 as one from images where hash = ?",
    );
    this.#insertOne = client.query(
      `insert into launches (event_id, wallet, name, on_chain_name, ticker, description, image_url,
         website, twitter, telegram, image_hash, created_at, run_at, idempotency_key, request_hash,
         address, network, queued_at)
       values ($eventId, $wallet, $name, $onChainName, $ticker, $description, $imageUrl,
         $website, $twitter, $telegram, $imageHash, $createdAt, $createdAt, $idempotencyKey, $requestHash,
         $address, $network, ${SERVICE_TIME})
       on conflict (ticker) where ticker_released = 0 do nothing`,
    );
  }

  /** See `LaunchStore.insert`. */
  insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): InsertOutcome[] {
    return this.#db.transaction(() => batch.map((launch) => this.#insert(launch, limits, budget)), {
      behavior: "immediate",
    });
  }

  #insert(launch: NewLaunch, limits: IntakeLimits, budget: DayBudget | null): InsertOutcome {
    const { idempotency, inviteCode = null, objection = null, ...columns } = launch;
    if (idempotency) {
      const known = this.#byKey.get(launch.wallet, idempotency.key);
      if (known) {
        return known.requestHash === idempotency.requestHash
          ? { kind: "replayed", eventId: known.eventId }
          : { kind: "key_reused" };
      }
    }
    if (launch.imageHash !== null && !this.#hasImage.get(launch.imageHash)) {
      return { kind: "image_gone" };
    }
    const { wallet, address, createdAt: now } = launch;
    const asking = { wallet, address, now, isNew: true };
    const refusal =
      objection ??
      this.#admission.refusal(wallet, inviteCode, limits) ??
      this.#bounds.refusal(asking, limits, budget);
    if (refusal !== null) return { kind: refusal };
    const row = {
      ...columns,
      onChainName: launch.onChainName ?? null,
      network: address === null ? null : networkOf(address),
      idempotencyKey: idempotency?.key ?? null,
      requestHash: idempotency?.requestHash ?? null,
    };
    const store = () => this.#insertOne.run(row).changes > 0;
    if (!store()) {
      const isFree = this.#tickers.release(launch.ticker, now, limits);
      if (!isFree || !store()) return { kind: "ticker_taken" };
    }
    this.#admission.useInvite(launch, limits);
    this.#bounds.count(asking, limits);
    return { kind: "stored", eventId: launch.eventId };
  }
}
