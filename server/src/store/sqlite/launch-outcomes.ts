import { sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { Database } from "./database.ts";
import { updateLeased } from "./leased-launch.ts";
import { launches, tokens } from "./schema.ts";

/** What a launch needs only while it is in the queue. Its signature stays. */
const CLEARED = {
  leaseId: null,
  leaseUntil: null,
  transaction: null,
  address: null,
  reservedLamports: null,
  reservedDay: null,
};

/** The statements that settle a launch: success, failed, rate_limited. */
export class LaunchOutcomes {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onEnded: OnEnded;
  readonly #forgetStart;
  readonly #putBehind;

  constructor(db: Database, clock: Clock, onEnded: OnEnded) {
    this.#db = db;
    this.#clock = clock;
    this.#onEnded = onEnded;
    const { $client: client } = db;
    // What ended without a transaction took nothing, so it does not count as started.
    this.#forgetStart = client.query<null, [string]>(
      `delete from launch_starts where event_id = ? and not exists (
         select 1 from launches where event_id = launch_starts.event_id and signature is not null)`,
    );
    this.#putBehind = client.query<null, [number, string]>(
      `update launches set run_at = max(run_at, ?) where rowid = (
         select next.rowid from launches as ended
         join launches as next on next.wallet = ended.wallet and next.status = 'pending'
         where ended.event_id = ? order by next.rowid limit 1)`,
    );
  }

  /** Ends a launch with its token, both or neither. */
  succeed(
    launch: LaunchRow,
    leaseId: string,
    token: { tokenMint: string; poolAddress: string },
  ): boolean {
    const now = this.#clock.now();
    const succeeded = this.#db.transaction(
      (tx) => {
        const columns = { ...token, ...CLEARED, status: "success", processedAt: now } as const;
        if (!updateLeased(tx, launch.eventId, leaseId, columns)) return false;
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

  /** Ends a launch without a token, and lets all that wait go before its wallet's next one. */
  fail(eventId: string, leaseId: string, error: string): boolean {
    const now = this.#clock.now();
    const columns = { ...CLEARED, status: "failed", error, processedAt: now } as const;
    const failed = this.#db.transaction(
      (tx) => {
        if (!updateLeased(tx, eventId, leaseId, columns)) return false;
        this.#forgetStart.run(eventId);
        this.#putBehind.run(now, eventId);
        return true;
      },
      { behavior: "immediate" },
    );
    if (failed) this.#onEnded("failed", 1);
    return failed;
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  limit(wallet: string, leaseId: string, error: string): void {
    this.#endAll("rate_limited", wallet, leaseId, error);
  }

  /** Ends the leased launch of this wallet as `failed`, and all that wait behind it. */
  refuse(wallet: string, leaseId: string, error: string): void {
    this.#endAll("failed", wallet, leaseId, error);
  }

  #endAll(status: "failed" | "rate_limited", wallet: string, leaseId: string, error: string): void {
    const now = this.#clock.now();
    const ended = this.#db.transaction(
      (tx) => {
        const rows = tx
          .update(launches)
          .set({ ...CLEARED, status, error, processedAt: now })
          .where(
            sql`status = 'pending' and wallet = ${wallet}
              and (lease_id = ${leaseId} or (lease_id is null and signature is null))`,
          )
          .returning({ eventId: launches.eventId })
          .all();
        for (const { eventId } of rows) this.#forgetStart.run(eventId);
        return rows;
      },
      { behavior: "immediate" },
    );
    this.#onEnded(status, ended.length);
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
}
