import { count, min, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
import type { NewAttempt } from "../../domain/journal.ts";
import type { LaunchWait } from "../../domain/launch.ts";
import type { LaunchRow } from "../launch-row.ts";
import { LONGEST_DELAY_MS, type RecordOutcome, type StartLimits } from "../launch-store.ts";
import { launches } from "../schema.ts";
import type { Database } from "./database.ts";
import { LaunchStarts } from "./launch-starts.ts";
import { updateLeased } from "./leased-launch.ts";

/** The statements on pending launches: lease, renew, store an attempt, put off, recover. */
export class LaunchQueue {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #walletOf;
  readonly #landedOn;
  readonly #signedOn;
  readonly #keepAttempt;
  readonly #starts: LaunchStarts;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#starts = new LaunchStarts(db);
    const { $client: client } = db;
    this.#keepAttempt = client.query<null, [string, string, number]>(
      "insert into launch_attempts (event_id, signature, signed_at) values (?, ?, ?)",
    );
    this.#walletOf = client.query<{ wallet: string }, [string, string]>(
      "select wallet from launches where event_id = ? and lease_id = ? and status = 'pending'",
    );
    this.#landedOn = client.query<{ one: 1 }, [string, string]>(
      "select 1 as one from launches where status = 'success' and wallet = ? and day = ? limit 1",
    );
    // By this index: few launches are undecided, and a wallet may have thousands that are not signed.
    this.#signedOn = client.query<{ one: 1 }, [string, string, string]>(
      `select 1 as one from launches indexed by launches_undecided
       where status = 'pending' and signature is not null
         and wallet = ? and day = ? and event_id <> ? limit 1`,
    );
  }

  /**
   * See `LaunchStore.lease`. A lease that seems to last more than twice `leaseMs` was given before the
   * clock stepped back, and counts as run out. After a smaller step its holder keeps it, and renews it
   * soon.
   */
  lease(leaseId: string, leaseMs: number, starts: StartLimits): LaunchRow | null {
    const { isPaused = false, maxPerHour = Number.POSITIVE_INFINITY } = starts;
    if (isPaused) return this.#lease(leaseId, leaseMs, sql`signature is not null`);
    if (maxPerHour === Number.POSITIVE_INFINITY) return this.#lease(leaseId, leaseMs, sql`true`);
    return this.#db.transaction(
      () => {
        const now = this.#clock.now();
        const leased = this.#lease(leaseId, leaseMs, this.#starts.mayStart(maxPerHour, now));
        if (leased?.signature === null) this.#starts.add(leased, now);
        return leased;
      },
      { behavior: "immediate" },
    );
  }

  /** @param mayStart whether the launch `l` may be leased */
  #lease(leaseId: string, leaseMs: number, mayStart: SQL): LaunchRow | null {
    const now = this.#clock.now();
    const day = utcDay(now);
    // Written in SQL: the search reads the table twice, under two names. One statement, so that no
    // two workers lease the same launch.
    const first = (signed: SQL) => sql`(
      select event_id from launches as l
      where status = 'pending' and ${signed} and (run_at <= ${now} or run_at > ${now + LONGEST_DELAY_MS}) and (
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
    // A launch that may be on chain already waits for no other wallet: its token cannot be claimed
    // until its outcome is known.
    const next = sql`coalesce(${first(sql`signature is not null`)}, ${first(mayStart)})`;
    const leased = this.#db
      .update(launches)
      .set({
        leaseId,
        leaseUntil: now + leaseMs,
        attempts: sql`attempts + 1`,
        day: sql`case when signature is null then ${day} else day end`,
        waitingFor: sql`coalesce(waiting_for, 'deployment')`,
        waitingSince: sql`case when waiting_for is null then ${now} else waiting_since end`,
      })
      .where(sql`event_id = ${next} and status = 'pending'`)
      .returning()
      .get();
    return leased ?? null;
  }

  /** Extends a lease. */
  renew(eventId: string, leaseId: string, leaseMs: number): boolean {
    const leaseUntil = this.#clock.now() + leaseMs;
    return updateLeased(this.#db, eventId, leaseId, { leaseUntil });
  }

  /** Stores a signed transaction, and the UTC day that it uses up if it lands. */
  recordAttempt(eventId: string, leaseId: string, attempt: NewAttempt): RecordOutcome {
    const record = (): RecordOutcome => {
      const launch = this.#walletOf.get(eventId, leaseId);
      if (!launch) return "lease_lost";
      const now = this.#clock.now();
      const day = utcDay(now);
      const isUsedUp =
        this.#landedOn.get(launch.wallet, day) ?? this.#signedOn.get(launch.wallet, day, eventId);
      if (isUsedUp) return "launched_today";
      updateLeased(this.#db, eventId, leaseId, {
        day,
        signature: attempt.signature,
        transaction: Buffer.from(attempt.transaction),
        lastValidBlockHeight: attempt.lastValidBlockHeight,
        tokenMint: attempt.tokenMint,
        poolAddress: attempt.poolAddress,
        poolTerms: attempt.terms,
        waitingFor: "confirmation",
        waitingSince: now,
      });
      this.#keepAttempt.run(eventId, attempt.signature, this.#clock.now());
      return "recorded";
    };
    return this.#db.transaction(record, { behavior: "immediate" });
  }

  /** See `LaunchStore.postpone`. */
  postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason: LaunchWait["reason"] | null,
  ): boolean {
    const now = this.#clock.now();
    return updateLeased(this.#db, eventId, leaseId, {
      ...{ runAt: now + delayMs, leaseId: null, leaseUntil: null },
      ...(reason !== null && {
        waitingFor: reason,
        waitingSince: sql`case when waiting_for = ${reason} then waiting_since else ${now} end`,
      }),
    });
  }

  /** Frees all leases. */
  recover(): number {
    return this.#db
      .update(launches)
      .set({ leaseId: null, leaseUntil: null })
      .where(sql`status = 'pending' and lease_id is not null`)
      .returning({ eventId: launches.eventId })
      .all().length;
  }

  /** Counts the pending launches. */
  backlog(): { depth: number; oldestCreatedAt: number | null } {
    const row = this.#db
      .select({ depth: count(), oldestCreatedAt: min(launches.createdAt) })
      .from(launches)
      .where(sql`status = 'pending'`)
      .get();
    return row ?? { depth: 0, oldestCreatedAt: null };
  }
}
