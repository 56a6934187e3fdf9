import type { NewAttempt } from "../../domain/journal.ts";
import type { LaunchWait } from "../../domain/launch.ts";
import type { LaunchRow } from "../launch-row.ts";
import { LONGEST_DELAY_MS, type RecordOutcome, type StartLimits } from "../launch-store.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { violates } from "./faults.ts";
import { LAUNCH_COLUMNS } from "./launch-columns.ts";
import { COUNT_START, dropStartsText, LAUNCH_STARTS, mayStart } from "./launch-starts.ts";
import { lockAll } from "./locks.ts";
import { utcDayOf } from "./server-time.ts";

/** A lease is tried again this often if another server leased a launch of the same wallet. */
const LEASE_ATTEMPTS = 3;

/** The statements on pending launches: lease, renew, store an attempt, put off. */
export class LaunchQueue {
  readonly #db: PostgresDatabase;
  readonly #lease: Statement;
  readonly #leaseSigned: Statement;
  readonly #leaseCounted: Statement;
  readonly #dropStarts: Statement;
  readonly #renew: Statement;
  readonly #recordAttempt: Statement;
  readonly #postpone: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    this.#lease = { name: "lease", text: leaseText(time, "true") };
    this.#leaseSigned = { name: "lease_signed", text: leaseText(time, "l.signature is not null") };
    this.#leaseCounted = {
      name: "lease_counted",
      text: leaseText(time, mayStart("$3"), COUNT_START),
    };
    this.#dropStarts = { name: "drop_starts", text: dropStartsText(time) };
    this.#renew = leasedUpdate("renew", `lease_until = ${time} + $3`);
    this.#postpone = leasedUpdate(
      "postpone",
      `run_at = ${time} + $3, lease_id = null, lease_until = null,
       waiting_for = coalesce($4, waiting_for),
       waiting_since = case when $4 is null or waiting_for = $4 then waiting_since else ${time} end`,
    );
    const recorded = leasedUpdate(
      "record_attempt",
      `day = ${utcDayOf(time)}, signature = $3, transaction = $4, last_valid_block_height = $5,
       token_mint = $6, pool_address = $7, pool_terms = $8,
       waiting_for = 'confirmation', waiting_since = ${time}`,
    );
    this.#recordAttempt = {
      name: recorded.name,
      text: `with recorded as (${recorded.text})
        insert into launch_attempts (event_id, signature, signed_at)
        select $1, $3, ${time} from recorded returning 1 as one`,
    };
  }

  /** See `LaunchStore.lease`. */
  async lease(
    leaseId: string,
    leaseMs: number,
    starts: StartLimits = {},
  ): Promise<LaunchRow | null> {
    for (let attempt = 0; attempt < LEASE_ATTEMPTS; attempt++) {
      try {
        const [row] = await this.#leaseOnce(leaseId, leaseMs, starts);
        return row ?? null;
      } catch (error) {
        // An older launch of the wallet was put back in the queue at this moment, and another
        // server has leased it.
        if (!violates(error, "launches_leased")) throw error;
      }
    }
    return null;
  }

  #leaseOnce(
    leaseId: string,
    leaseMs: number,
    { isPaused = false, maxPerHour = Number.POSITIVE_INFINITY }: StartLimits,
  ): Promise<LaunchRow[]> {
    if (!isPaused && Number.isFinite(maxPerHour)) {
      // One after another, so that all servers together start no more.
      return this.#db.transaction(
        async (session) => {
          await session.rows(this.#dropStarts);
          return await session.rows<LaunchRow>(this.#leaseCounted, leaseId, leaseMs, maxPerHour);
        },
        lockAll([LAUNCH_STARTS]),
      );
    }
    const statement = isPaused ? this.#leaseSigned : this.#lease;
    return this.#db.write((session) => session.rows<LaunchRow>(statement, leaseId, leaseMs));
  }

  async renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean> {
    return await this.#update(this.#renew, eventId, leaseId, Math.ceil(leaseMs));
  }

  async postpone(
    eventId: string,
    leaseId: string,
    delayMs: number,
    reason: LaunchWait["reason"] | null,
  ): Promise<boolean> {
    return await this.#update(this.#postpone, eventId, leaseId, Math.ceil(delayMs), reason);
  }

  /** See `LaunchStore.recordAttempt`. */
  async recordAttempt(
    eventId: string,
    leaseId: string,
    attempt: NewAttempt,
  ): Promise<RecordOutcome> {
    const { signature, transaction, lastValidBlockHeight, tokenMint, poolAddress } = attempt;
    const values = [
      signature,
      Buffer.from(transaction),
      lastValidBlockHeight,
      tokenMint,
      poolAddress,
      JSON.stringify(attempt.terms),
    ];
    try {
      const recorded = await this.#update(this.#recordAttempt, eventId, leaseId, ...values);
      return recorded ? "recorded" : "lease_lost";
    } catch (error) {
      if (violates(error, "launches_day")) return "launched_today";
      throw error;
    }
  }

  async #update(statement: Statement, ...values: readonly unknown[]): Promise<boolean> {
    const rows = await this.#db.write((session) => session.rows(statement, ...values));
    return rows.length > 0;
  }
}

/** @returns an update of the pending launch $1, if the lease $2 still holds it */
function leasedUpdate(name: string, columns: string): Statement {
  return {
    name,
    text: `update launches set ${columns}
      where event_id = $1 and lease_id = $2 and status = 'pending' returning 1 as one`,
  };
}

/**
 * One statement, so that no two servers lease the same launch: a row that another one is changing
 * is skipped. What the search sees may be older than what it locks; then PostgreSQL looks at the
 * newer row again, and the index `launches_leased` refuses a wallet's second lease.
 *
 * @param mayStart SQL for whether the launch `l` may be leased, if it may not be on chain already
 * @param counted further parts, which see the leased launch as `leased`
 */
function leaseText(time: string, mayStart: string, counted: string | null = null): string {
  const now = "(select ms from clock)";
  const first = (condition: string) => `
    select l.event_id from launches as l
    where l.status = 'pending' and ${condition}
      and (l.run_at <= ${now} or l.run_at > ${now} + ${LONGEST_DELAY_MS})
      and (
        (l.lease_id is not null
          and (l.lease_until <= ${now} or l.lease_until > ${now} + 2 * $2::bigint))
        or (l.lease_id is null and not exists (
          select 1 from launches as other
          where other.status = 'pending' and other.wallet = l.wallet
            and other.event_id <> l.event_id
            and (other.lease_id is not null
              or (l.signature is null and (other.signature is not null or other.seq < l.seq)))
        ))
      )
    order by l.run_at, l.seq limit 1 for update of l skip locked`;
  // A launch that may be on chain already waits for no other wallet: its token cannot be claimed
  // until its outcome is known.
  return `
    with clock as materialized (select ${time} as ms),
    signed as materialized (${first("l.signature is not null")}),
    oldest as materialized (${first(`not exists (select 1 from signed) and ${mayStart}`)}),
    leased as (update launches set lease_id = $1, lease_until = ${now} + $2, attempts = attempts + 1,
      day = case when signature is null then ${utcDayOf(now)} else day end,
      waiting_for = coalesce(waiting_for, 'deployment'),
      waiting_since = case when waiting_for is null then ${now} else waiting_since end
    where status = 'pending'
      and event_id = (select event_id from signed union all select event_id from oldest)
    returning launches.*)
    ${counted === null ? "" : `, ${counted}`}
    select ${LAUNCH_COLUMNS} from leased as launches`;
}
