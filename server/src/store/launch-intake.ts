import { count, sql } from "drizzle-orm";
import { BoundedMap } from "../base/bounded-map.ts";
import { DAY_MS, startOfUtcDay, utcDay } from "../base/utc-day.ts";
import { AddressLaunches } from "./address-launches.ts";
import type { Database } from "./database.ts";
import { QueueRoom } from "./queue-room.ts";
import { launches } from "./schema.ts";

/** A request to be stored. */
export interface NewLaunch {
  readonly eventId: string;
  readonly wallet: string;
  readonly name: string;
  readonly ticker: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly createdAt: number;
  /** The client's key for this request and the request's hash; null without a key. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** The network address that it came from; null if no limit counts it. */
  readonly address: string | null;
}

/** How many launches are taken on, and from whom; `Infinity` is no limit. */
export interface IntakeLimits {
  /** Launches that may be pending. */
  readonly maxPending: number;
  /** Launches of one network address that may be pending. */
  readonly maxPendingOfAddress: number;
  /** Launches of one agent that are accepted in a UTC day. */
  readonly maxOfAgent: number;
  /** Launches and retries of one network address that are accepted in a UTC day. */
  readonly maxOfAddress: number;
  /** How long a launch that ended without a token keeps its ticker, in milliseconds. */
  readonly tickerHoldMs: number;
}

export const UNBOUNDED: IntakeLimits = {
  maxPending: Number.POSITIVE_INFINITY,
  maxPendingOfAddress: Number.POSITIVE_INFINITY,
  maxOfAgent: Number.POSITIVE_INFINITY,
  maxOfAddress: Number.POSITIVE_INFINITY,
  tickerHoldMs: DAY_MS,
};

/** Why a launch is not taken on. */
export type Refusal =
  | "agent_launch_limit"
  | "address_launch_limit"
  | "address_queue_share"
  | "daily_budget_spent"
  | "queue_full"
  | "ticker_taken";

/** What became of a request: stored, known already under its key, or refused. */
export type InsertOutcome =
  | { readonly kind: "stored"; readonly eventId: string }
  | { readonly kind: "replayed"; readonly eventId: string }
  | { readonly kind: "key_reused" | Refusal };

/** What became of a wish to retry. */
export type RetryOutcome =
  | { readonly kind: "stored"; readonly ticker: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "not_ended"; readonly status: string }
  | { readonly kind: Refusal; readonly ticker: string };

/** Where a wish to launch or to retry comes from, and when. */
export interface Comer {
  readonly address: string | null;
  readonly now: number;
}

/** Puts launches in the queue. All that it decides, it decides in the transaction that stores them. */
export class LaunchIntake {
  readonly #db: Database;
  readonly #room: QueueRoom;
  /** By network address; what is forgotten here is counted again. */
  readonly #shares = new BoundedMap<string, QueueRoom>(10_000);
  readonly #ofAddress: AddressLaunches;
  readonly #byKey;
  readonly #countOfWallet;
  readonly #countPendingOf;
  readonly #insertOne;
  readonly #release;
  readonly #holder;
  readonly #ended;
  readonly #requeue;

  constructor(db: Database) {
    this.#db = db;
    const pending = db
      .select({ depth: count() })
      .from(launches)
      .where(sql`status = 'pending'`)
      .prepare();
    this.#room = new QueueRoom(() => pending.get()?.depth ?? 0);
    this.#ofAddress = new AddressLaunches(db.$client);
    // Straight to the driver: drizzle takes longer to fill in such a statement than SQLite to run it.
    const { $client: client } = db;
    this.#byKey = client.query<{ eventId: string; requestHash: string }, [string, string]>(
      `select event_id as eventId, request_hash as requestHash from launches
       where wallet = ? and idempotency_key = ?`,
    );
    this.#countOfWallet = client.query<{ n: number }, [string, number, number]>(
      `select count(*) as n from launches
       where wallet = ? and status in ('pending', 'success', 'failed', 'rate_limited')
         and created_at >= ? and created_at < ?`,
    );
    this.#countPendingOf = client.query<{ n: number }, [string]>(
      "select count(*) as n from launches where status = 'pending' and address = ?",
    );
    this.#insertOne = client.query(
      `insert into launches (event_id, wallet, name, ticker, description, image_url, created_at,
         run_at, idempotency_key, request_hash, address)
       values ($eventId, $wallet, $name, $ticker, $description, $imageUrl, $createdAt,
         $createdAt, $idempotencyKey, $requestHash, $address)
       on conflict (ticker) where ticker_released = 0 do nothing`,
    );
    this.#release = client.query<null, [string, number]>(
      `update launches set ticker_released = 1
       where ticker = ? and ticker_released = 0
         and status in ('failed', 'rate_limited') and processed_at <= ?`,
    );
    this.#holder = client.query<{ one: 1 }, [string]>(
      "select 1 as one from launches where ticker = ? and ticker_released = 0",
    );
    this.#ended = client.query<
      { status: string; ticker: string; tickerReleased: 0 | 1 },
      [string, string]
    >(
      `select status, ticker, ticker_released as tickerReleased from launches
       where event_id = ? and wallet = ?`,
    );
    this.#requeue = client.query(
      `update launches set status = 'pending', processed_at = null, error = null, run_at = $now,
         day = null, signature = null, "transaction" = null, last_valid_block_height = null,
         token_mint = null, pool_address = null, ticker_released = 0, address = $address
       where event_id = $eventId`,
    );
  }

  /**
   * Stores requests in one durable transaction, in order; each has its own outcome.
   *
   * @param isSpent whether the day's money for launches is gone; asked once, if at all
   */
  insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits,
    isSpent: () => boolean,
  ): InsertOutcome[] {
    const room = this.#roomFor(limits, isSpent);
    return this.#db.transaction(() => batch.map((launch) => this.#insert(launch, limits, room)), {
      behavior: "immediate",
    });
  }

  /** Puts a launch of this wallet that ended without a token back in the queue. */
  retry(
    wallet: string,
    eventId: string,
    comer: Comer,
    limits: IntakeLimits,
    isSpent: () => boolean,
  ): RetryOutcome {
    const room = this.#roomFor(limits, isSpent);
    return this.#db.transaction(() => this.#retry(wallet, eventId, comer, limits, room), {
      behavior: "immediate",
    });
  }

  #insert(launch: NewLaunch, limits: IntakeLimits, room: () => Refusal | null): InsertOutcome {
    const { idempotency, ...columns } = launch;
    if (idempotency) {
      const known = this.#byKey.get(launch.wallet, idempotency.key);
      if (known) {
        return known.requestHash === idempotency.requestHash
          ? { kind: "replayed", eventId: known.eventId }
          : { kind: "key_reused" };
      }
    }
    const comer = { address: launch.address, now: launch.createdAt };
    const refusal =
      this.#agentRefusal(launch, limits) ?? this.#addressRefusal(comer, limits) ?? room();
    if (refusal !== null) return { kind: refusal };
    const row = {
      ...columns,
      idempotencyKey: idempotency?.key ?? null,
      requestHash: idempotency?.requestHash ?? null,
    };
    const store = () => this.#insertOne.run(row).changes > 0;
    if (!store()) {
      const isFree = this.#releaseTicker(launch.ticker, comer.now, limits);
      if (!isFree || !store()) return { kind: "ticker_taken" };
    }
    this.#count(comer, limits);
    return { kind: "stored", eventId: launch.eventId };
  }

  #retry(
    wallet: string,
    eventId: string,
    comer: Comer,
    limits: IntakeLimits,
    room: () => Refusal | null,
  ): RetryOutcome {
    const launch = this.#ended.get(eventId, wallet);
    if (!launch) return { kind: "unknown" };
    const { status, ticker } = launch;
    if (status !== "failed" && status !== "rate_limited") return { kind: "not_ended", status };
    if (launch.tickerReleased) {
      this.#releaseTicker(ticker, comer.now, limits);
      if (this.#holder.get(ticker)) return { kind: "ticker_taken", ticker };
    }
    const refusal = this.#addressRefusal(comer, limits) ?? room();
    if (refusal !== null) return { kind: refusal, ticker };
    this.#requeue.run({ eventId, now: comer.now, address: comer.address });
    this.#count(comer, limits);
    return { kind: "stored", ticker };
  }

  /** Whoever finds the budget spent or the queue full finds it so for the whole transaction. */
  #roomFor({ maxPending }: IntakeLimits, isSpent: () => boolean): () => Refusal | null {
    let spent: boolean | undefined;
    let isFull = false;
    return () => {
      spent ??= isSpent();
      if (spent) return "daily_budget_spent";
      isFull ||= !this.#room.take(maxPending);
      return isFull ? "queue_full" : null;
    };
  }

  #agentRefusal({ wallet, createdAt }: NewLaunch, { maxOfAgent }: IntakeLimits): Refusal | null {
    if (maxOfAgent === Number.POSITIVE_INFINITY) return null;
    const day = startOfUtcDay(createdAt);
    const { n } = this.#countOfWallet.get(wallet, day, day + DAY_MS) ?? { n: 0 };
    return n < maxOfAgent ? null : "agent_launch_limit";
  }

  #addressRefusal({ address, now }: Comer, limits: IntakeLimits): Refusal | null {
    if (address === null) return null;
    const { maxOfAddress, maxPendingOfAddress } = limits;
    if (maxOfAddress !== Number.POSITIVE_INFINITY) {
      if (this.#ofAddress.on(utcDay(now), address) >= maxOfAddress) return "address_launch_limit";
    }
    if (maxPendingOfAddress === Number.POSITIVE_INFINITY) return null;
    const share = this.#shares.getOrMake(
      address,
      () => new QueueRoom(() => this.#countPendingOf.get(address)?.n ?? 0),
    );
    return share.take(maxPendingOfAddress) ? null : "address_queue_share";
  }

  #count({ address, now }: Comer, { maxOfAddress }: IntakeLimits): void {
    if (address === null || maxOfAddress === Number.POSITIVE_INFINITY) return;
    this.#ofAddress.add(now, address);
  }

  /** Takes a ticker from the launch that ended without a token long enough ago, if there is one. */
  #releaseTicker(ticker: string, now: number, { tickerHoldMs }: IntakeLimits): boolean {
    return this.#release.run(ticker, now - tickerHoldMs).changes > 0;
  }
}
