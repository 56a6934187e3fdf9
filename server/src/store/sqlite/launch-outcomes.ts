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

  constructor(db: Database, clock: Clock, onEnded: OnEnded) {
    this.#db = db;
    this.#clock = clock;
    this.#onEnded = onEnded;
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

  /** Ends a launch without a token. */
  fail(eventId: string, leaseId: string, error: string): boolean {
    const now = this.#clock.now();
    const columns = { ...CLEARED, status: "failed", error, processedAt: now } as const;
    const failed = updateLeased(this.#db, eventId, leaseId, columns);
    if (failed) this.#onEnded("failed", 1);
    return failed;
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  limit(wallet: string, leaseId: string, error: string): void {
    const now = this.#clock.now();
    const ended = this.#db
      .update(launches)
      .set({ ...CLEARED, status: "rate_limited", error, processedAt: now })
      .where(
        sql`status = 'pending' and wallet = ${wallet}
          and (lease_id = ${leaseId} or (lease_id is null and signature is null))`,
      )
      .returning({ one: sql`1` })
      .all();
    this.#onEnded("rate_limited", ended.length);
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
