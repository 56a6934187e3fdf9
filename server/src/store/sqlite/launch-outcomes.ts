import { type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
import type { OnEvents } from "../event-store.ts";
import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { Database } from "./database.ts";
import { addEvents } from "./event-writer.ts";
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
  readonly #onEvents: OnEvents;

  constructor(db: Database, clock: Clock, onEnded: OnEnded, onEvents: OnEvents) {
    this.#db = db;
    this.#clock = clock;
    this.#onEnded = onEnded;
    this.#onEvents = onEvents;
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
        const { eventId, ticker } = launch;
        const { tokenMint } = token;
        addEvents(tx, launch.wallet, "launch.succeeded", now, [
          { eventId, ticker, tokenMint, transactionHash: null, otherMints: [] },
        ]);
        return true;
      },
      { behavior: "immediate" },
    );
    if (succeeded) {
      this.#onEnded("success", 1);
      this.#onEvents(launch.wallet);
    }
    return succeeded;
  }

  /** Ends a launch without a token. */
  fail(eventId: string, leaseId: string, error: string): boolean {
    const failed = this.#end(
      "failed",
      sql`event_id = ${eventId} and lease_id = ${leaseId} and status = 'pending'`,
      error,
    );
    return failed > 0;
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  limit(wallet: string, leaseId: string, error: string): void {
    this.#end(
      "rate_limited",
      sql`status = 'pending' and wallet = ${wallet}
        and (lease_id = ${leaseId} or (lease_id is null and signature is null))`,
      error,
    );
  }

  /**
   * Ends launches of one wallet without a token.
   *
   * @returns how many it ended
   */
  #end(status: "failed" | "rate_limited", which: SQL, error: string): number {
    const now = this.#clock.now();
    const ended = this.#db.transaction(
      (tx) => {
        const rows = tx
          .update(launches)
          .set({ ...CLEARED, status, error, processedAt: now })
          .where(which)
          .returning({
            place: sql<number>`rowid`,
            wallet: launches.wallet,
            eventId: launches.eventId,
            ticker: launches.ticker,
          })
          .all()
          .sort((a, b) => a.place - b.place);
        const [first] = rows;
        if (!first) return rows;
        const subjects = rows.map(({ eventId, ticker }) => ({
          ...{ eventId, ticker, tokenMint: null, transactionHash: null, otherMints: [] },
        }));
        addEvents(tx, first.wallet, `launch.${status}`, now, subjects);
        return rows;
      },
      { behavior: "immediate" },
    );
    this.#onEnded(status, ended.length);
    if (ended[0]) this.#onEvents(ended[0].wallet);
    return ended.length;
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
