import { count, min, sql } from "drizzle-orm";
import { BoundedMap } from "../base/bounded-map.ts";
import type { Database } from "./database.ts";
import {
  type Comer,
  type InsertOutcome,
  type IntakeLimits,
  LaunchIntake,
  type NewLaunch,
  type RetryOutcome,
  UNBOUNDED,
} from "./launch-intake.ts";
import { launches, tokens } from "./schema.ts";

export type LaunchRow = typeof launches.$inferSelect;

/** What an agent is told of its launch. */
export type LaunchSummary = Pick<
  LaunchRow,
  "eventId" | "ticker" | "status" | "processedAt" | "error" | "tokenMint" | "poolAddress"
>;

/**
 * No launch is put off for longer than this, in milliseconds. One that seems to be got its time
 * from a clock that has stepped back since, and is due.
 */
const LONGEST_DELAY_MS = 60_000;

/** A signed transaction of a launch, and the addresses that it makes. */
export interface SignedAttempt {
  readonly tokenMint: string;
  readonly poolAddress: string;
  readonly signature: string;
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
}

/** Told of launches that have ended. */
export type OnEnded = (status: "success" | "failed" | "rate_limited", count: number) => void;

/** What a launch that has left the queue does not need any more. Its signature stays. */
const LEFT_BEHIND = { leaseId: null, leaseUntil: null, transaction: null, address: null };

const never = () => false;

/** The launch table. Every settling statement is guarded by the lease's holder. */
export class LaunchStore {
  readonly #db: Database;
  readonly #onEnded: OnEnded;
  readonly #byId;
  readonly #intake: LaunchIntake;
  /**
   * Launches with a token, by event id, for those who go on asking. They stay correct: nothing
   * changes such a launch any more, and no other process writes to the database.
   */
  readonly #deployed = new BoundedMap<string, LaunchSummary & { readonly wallet: string }>(10_000);

  constructor(db: Database, onEnded: OnEnded = () => {}) {
    this.#db = db;
    this.#onEnded = onEnded;
    this.#intake = new LaunchIntake(db);
    // What every request asks goes straight to the driver: drizzle takes longer to fill in such a
    // statement, and to read a row of its answer, than SQLite to run it.
    this.#byId = db.$client.query<LaunchSummary, [string, string]>(
      `select event_id as eventId, ticker, status, processed_at as processedAt, error,
         token_mint as tokenMint, pool_address as poolAddress
       from launches where event_id = ? and wallet = ?`,
    );
  }

  /** Stores requests in one durable transaction, in order; see {@link LaunchIntake.insert}. */
  insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
    isSpent: () => boolean = never,
  ): InsertOutcome[] {
    return this.#intake.insert(batch, limits, isSpent);
  }

  /** Puts a launch that ended without a token back in the queue; see {@link LaunchIntake.retry}. */
  retry(
    wallet: string,
    eventId: string,
    comer: Comer,
    limits: IntakeLimits = UNBOUNDED,
    isSpent: () => boolean = never,
  ): RetryOutcome {
    return this.#intake.retry(wallet, eventId, comer, limits, isSpent);
  }

  /** One launch of a wallet; what belongs to another does not exist. */
  find(wallet: string, eventId: string): LaunchSummary | null {
    const known = this.#deployed.get(eventId);
    if (known?.wallet === wallet) return known;
    const launch = this.#byId.get(eventId, wallet);
    if (launch?.status === "success") this.#deployed.set(eventId, { ...launch, wallet });
    return launch;
  }

  /**
   * Takes the next launch that is due, for `leaseMs`. A wallet's launches are taken one at a time
   * and in order; one whose transaction is still undecided comes before all others of its wallet
   * and keeps the day in which that was signed, the others get `day`. A lease that seems to last
   * for more than twice as long got its time from a clock that has stepped back, and has run out;
   * a smaller step takes none from its holder, who renews it soon.
   */
  lease(leaseId: string, now: number, leaseMs: number, day: string): LaunchRow | null {
    const next = sql`(
      select event_id from launches as l
      where status = 'pending' and (run_at <= ${now} or run_at > ${now + LONGEST_DELAY_MS}) and (
        (lease_id is not null and (lease_until <= ${now} or lease_until > ${now + 2 * leaseMs}))
        or (lease_id is null and not exists (
          select 1 from launches as other
          where other.status = 'pending' and other.wallet = l.wallet
            and other.event_id <> l.event_id
            and (other.lease_id is not null
              or (l.signature is null and (other.signature is not null or other.rowid < l.rowid)))
        ))
      )
      order by run_at, rowid limit 1
    )`;
    const leased = this.#db
      .update(launches)
      .set({
        leaseId,
        leaseUntil: now + leaseMs,
        attempts: sql`attempts + 1`,
        day: sql`case when signature is null then ${day} else day end`,
      })
      .where(sql`event_id = ${next} and status = 'pending'`)
      .returning()
      .get();
    return leased ?? null;
  }

  /** @returns whether a launch of this wallet that belongs to this UTC day has succeeded */
  hasLaunchedOn(wallet: string, day: string): boolean {
    const row = this.#db
      .select({ one: sql`1` })
      .from(launches)
      .where(sql`status = 'success' and wallet = ${wallet} and day = ${day}`)
      .limit(1)
      .get();
    return row !== undefined;
  }

  /**
   * Ends the leased launch of this wallet as `rate_limited`, and with it all that wait behind it:
   * an agent that sends thousands costs one commit.
   */
  limit(wallet: string, leaseId: string, error: string, now: number): void {
    const ended = this.#db
      .update(launches)
      .set({ ...LEFT_BEHIND, status: "rate_limited", error, processedAt: now })
      .where(
        sql`status = 'pending' and wallet = ${wallet}
          and (lease_id = ${leaseId} or (lease_id is null and signature is null))`,
      )
      .returning({ one: sql`1` })
      .all();
    this.#onEnded("rate_limited", ended.length);
  }

  renew(eventId: string, leaseId: string, leaseUntil: number): boolean {
    return this.#settle(eventId, leaseId, { leaseUntil });
  }

  /** @param day the UTC day in which it was signed: that one is used up if it lands */
  recordAttempt(eventId: string, leaseId: string, attempt: SignedAttempt, day: string): boolean {
    return this.#settle(eventId, leaseId, {
      day,
      signature: attempt.signature,
      transaction: Buffer.from(attempt.transaction),
      lastValidBlockHeight: attempt.lastValidBlockHeight,
      tokenMint: attempt.tokenMint,
      poolAddress: attempt.poolAddress,
    });
  }

  /** Ends a launch with its token, both or neither. */
  succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { tokenMint: string; poolAddress: string },
    now: number,
  ): boolean {
    const succeeded = this.#db.transaction(
      (tx) => {
        const settled = this.#settle(
          launch.eventId,
          leaseId,
          { ...token, ...LEFT_BEHIND, status: "success", processedAt: now },
          tx,
        );
        if (!settled) return false;
        tx.insert(tokens)
          .values({
            ...token,
            eventId: launch.eventId,
            wallet: launch.wallet,
            ticker: launch.ticker,
            name: launch.name,
            deployedAt: now,
          })
          .run();
        return true;
      },
      { behavior: "immediate" },
    );
    if (succeeded) this.#onEnded("success", 1);
    return succeeded;
  }

  /** Ends a launch without a token. */
  fail(eventId: string, leaseId: string, error: string, now: number): boolean {
    const failed = this.#settle(eventId, leaseId, {
      ...LEFT_BEHIND,
      status: "failed",
      error,
      processedAt: now,
    });
    if (failed) this.#onEnded("failed", 1);
    return failed;
  }

  /** Gives a launch back, to be taken again at `runAt`. */
  postpone(eventId: string, leaseId: string, runAt: number): boolean {
    return this.#settle(eventId, leaseId, { runAt, leaseId: null, leaseUntil: null });
  }

  /** Frees all leases. Right only at start, while no other worker can hold one. */
  recover(): number {
    return this.#db
      .update(launches)
      .set({ leaseId: null, leaseUntil: null })
      .where(sql`status = 'pending' and lease_id is not null`)
      .returning({ eventId: launches.eventId })
      .all().length;
  }

  /** How many launches wait or are in progress, and since when the oldest has. */
  backlog(): { depth: number; oldestCreatedAt: number | null } {
    const row = this.#db
      .select({ depth: count(), oldestCreatedAt: min(launches.createdAt) })
      .from(launches)
      .where(sql`status = 'pending'`)
      .get();
    return row ?? { depth: 0, oldestCreatedAt: null };
  }

  #settle(
    eventId: string,
    leaseId: string,
    columns: Partial<LaunchRow>,
    db: Pick<Database, "update"> = this.#db,
  ): boolean {
    const row = db
      .update(launches)
      .set(columns)
      .where(sql`event_id = ${eventId} and lease_id = ${leaseId} and status = 'pending'`)
      .returning({ eventId: launches.eventId })
      .get();
    return row !== undefined;
  }
}
