import { type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
import type { OnEvents } from "../events.ts";
import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { CancelOutcome, WaitingLaunches } from "../launch-store.ts";
import { launches, tokens } from "../schema.ts";
import { AddressLaunches } from "./address-launches.ts";
import type { Database } from "./database.ts";
import { addEvents } from "./event-writer.ts";
import { updateLeased } from "./leased-launch.ts";
import type { Spending } from "./spending.ts";

/** What a launch needs only while it is in the queue. Its signature stays, and with a token what it took. */
const CLEARED = {
  leaseId: null,
  leaseUntil: null,
  transaction: null,
  address: null,
  network: null,
  reservedDay: null,
  waitingFor: null,
  waitingSince: null,
};

/** What decides whether a launch can be cancelled. */
type Cancellable = Pick<LaunchRow, "status" | "signature" | "error">;

/** How a launch ends without a token. */
interface Ending {
  readonly status: "failed" | "rate_limited";
  readonly error: string;
  readonly tickerReleased?: 1;
}

/** A launch that has ended without a token. */
interface Ended {
  readonly wallet: string;
}

/** The statements that settle a launch: success, failed, rate_limited. */
export class LaunchOutcomes {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #spending: Spending;
  readonly #addressLaunches: AddressLaunches;
  readonly #originOf;
  readonly #onEnded: OnEnded;
  readonly #signature;
  readonly #forgetStart;
  readonly #putBehind;
  readonly #onEvents: OnEvents;
  readonly #cancellable;

  constructor(
    db: Database,
    clock: Clock,
    spending: Spending,
    onEnded: OnEnded,
    onEvents: OnEvents,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#spending = spending;
    this.#onEnded = onEnded;
    this.#onEvents = onEvents;
    const { $client: client } = db;
    this.#addressLaunches = new AddressLaunches(client);
    this.#originOf = client.query<{ address: string; network: string }, [string]>(
      "select address, network from launches where event_id = ? and network is not null",
    );
    this.#cancellable = client.query<Cancellable, [string, string]>(
      "select status, signature, error from launches where event_id = ? and wallet = ?",
    );
    this.#signature = client.query<{ signature: string | null }, [string]>(
      "select signature from launches where event_id = ?",
    );
    // What ended without a transaction took nothing, so it does not count as started.
    this.#forgetStart = client.query<null, [string]>(
      `delete from launch_starts where event_id = ? and not exists (
         select 1 from launches where event_id = launch_starts.event_id and signature is not null)`,
    );
    this.#putBehind = client.query<null, [number, string]>(
      `update launches set run_at = max(run_at, ?) where rowid = (
         select rowid from launches where wallet = ? and status = 'pending' order by rowid limit 1)`,
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
        const origin = this.#originOf.get(launch.eventId);
        if (!updateLeased(tx, launch.eventId, leaseId, columns)) return false;
        if (origin) this.#addressLaunches.addLaunched(now, [origin.address, origin.network]);
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
        // The launch was leased before its transaction was signed.
        const transactionHash = this.#signature.get(eventId)?.signature ?? null;
        addEvents(tx, launch.wallet, "launch.succeeded", now, [
          { eventId, ticker, tokenMint, transactionHash, otherMints: [] },
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

  /** Ends a launch without a token, and lets all that wait go before its wallet's next one. */
  fail(eventId: string, leaseId: string, error: string): boolean {
    const which = sql`event_id = ${eventId} and lease_id = ${leaseId} and status = 'pending'`;
    return this.#end(which, { status: "failed", error }) > 0;
  }

  /** See `LaunchStore.cancel`. */
  cancel(wallet: string, eventId: string, error: string): CancelOutcome {
    let cancelled: readonly Ended[] = [];
    const outcome = this.#db.transaction(
      (tx): CancelOutcome => {
        const launch = this.#cancellable.get(eventId, wallet);
        if (!launch) return { kind: "unknown" };
        const { status } = launch;
        if (status === "failed" && launch.error === error) return { kind: "cancelled" };
        if (status !== "pending") return { kind: "ended", status };
        if (launch.signature !== null) return { kind: "signed" };
        const columns = { status: "failed", error, tickerReleased: 1 } as const;
        cancelled = this.#endWithin(tx, sql`event_id = ${eventId}`, columns);
        return { kind: "cancelled" };
      },
      { behavior: "immediate" },
    );
    this.#announce("failed", cancelled);
    return outcome;
  }

  /** See `LaunchStore.endWaiting`. */
  endWaiting(
    { wallet, address, network, since, until, queuedBy }: WaitingLaunches,
    error: string,
  ): number {
    const which = sql`status = 'pending' and signature is null
      and (${wallet} is null or wallet = ${wallet}) and (${address} is null or address = ${address})
      and (${network} is null or network = ${network})
      and (${since} is null or created_at >= ${since}) and (${until} is null or created_at <= ${until})
      and (${queuedBy} is null or queued_at <= ${queuedBy})`;
    return this.#end(which, { status: "failed", error, tickerReleased: 1 });
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  limit(wallet: string, leaseId: string, error: string): void {
    this.#endAll(wallet, leaseId, { status: "rate_limited", error });
  }

  /** Ends the leased launch of this wallet as `failed`, and all that wait behind it. */
  refuse(wallet: string, leaseId: string, error: string): void {
    this.#endAll(wallet, leaseId, { status: "failed", error });
  }

  #endAll(wallet: string, leaseId: string, ending: Ending): void {
    const which = sql`status = 'pending' and wallet = ${wallet}
      and (lease_id = ${leaseId} or (lease_id is null and signature is null))`;
    this.#end(which, ending);
  }

  /**
   * Ends launches without a token.
   *
   * @returns how many it ended
   */
  #end(which: SQL, ending: Ending): number {
    const ended = this.#db.transaction((tx) => this.#endWithin(tx, which, ending), {
      behavior: "immediate",
    });
    this.#announce(ending.status, ended);
    return ended.length;
  }

  /** Does what `#end` does, within a transaction, and announces nothing. */
  #endWithin(
    tx: Pick<Database, "insert" | "update">,
    which: SQL,
    ending: Ending,
  ): readonly Ended[] {
    const now = this.#clock.now();
    if (ending.tickerReleased) this.#giveBack(which);
    const ended = tx
      .update(launches)
      .set({ ...CLEARED, ...ending, reservedLamports: null, processedAt: now })
      .where(which)
      .returning({
        place: sql<number>`rowid`,
        wallet: launches.wallet,
        eventId: launches.eventId,
        ticker: launches.ticker,
      })
      .all()
      .sort((a, b) => a.place - b.place);
    for (const [wallet, of] of Map.groupBy(ended, (launch) => launch.wallet)) {
      const subjects = of.map(({ eventId, ticker }) => ({
        ...{ eventId, ticker, tokenMint: null, transactionHash: null, otherMints: [] },
      }));
      addEvents(tx, wallet, `launch.${ending.status}`, now, subjects);
      // No agent's backlog delays another agent. What was cancelled had no turn.
      if (!ending.tickerReleased) this.#putBehind.run(now, wallet);
    }
    for (const { eventId } of ended) this.#forgetStart.run(eventId);
    return ended;
  }

  /** Gives back what launches have set aside that nothing was signed for. */
  #giveBack(which: SQL): void {
    const holders = this.#db
      .select({ eventId: launches.eventId })
      .from(launches)
      .where(sql`status = 'pending' and reserved_lamports is not null and ${which}`)
      .all();
    for (const { eventId } of holders) this.#spending.giveBack(eventId);
  }

  #announce(status: Ending["status"], ended: readonly Ended[]): void {
    if (ended.length === 0) return;
    this.#onEnded(status, ended.length);
    for (const wallet of new Set(ended.map((launch) => launch.wallet))) this.#onEvents(wallet);
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
