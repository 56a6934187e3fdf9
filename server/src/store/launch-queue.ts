import type { LaunchStatusName } from "@tokenctl/shared/types";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../base/clock.ts";
import type { LaunchShares } from "../domain/intake-limits.ts";
import {
  type LaunchJournal,
  LeaseLostError,
  type NewAttempt,
  type StartRefusal,
  StartRefusedError,
} from "../domain/journal.ts";
import type { LaunchWait } from "../domain/launch.ts";
import { arePaused } from "../domain/steering.ts";
import type { PoolTerms, TokenRef } from "../domain/token.ts";
import {
  type Database,
  type Dialect,
  rowOf,
  rowsOf,
  type Session,
  signedOf,
  type Transaction,
} from "./database.ts";
import type { LaunchRow } from "./launch-row.ts";
import { launches, type prepared } from "./schema.ts";
import { Spending } from "./spending.ts";

/** The longest delay of a launch, in ms. If it is longer, the clock was set back: it is due. */
export const LONGEST_DELAY_MS = 60_000;

/** The lock under which launches are accepted, and started while starts per hour are limited. */
export const INTAKE_LOCK = "launch intake";

/** Which launches may be started. A launch that has a transaction always continues. */
export interface StartLimits {
  readonly isPaused?: boolean;
  /** At most this many agents start a launch in any hour, one each; `Infinity` is no limit. */
  readonly maxPerHour?: number;
}

export interface LaunchFilter {
  readonly status?: LaunchStatusName | undefined;
  readonly wallet?: string | undefined;
  readonly network?: string | undefined;
  readonly eventIds?: readonly string[] | undefined;
  /** The latest time at which they were accepted or retried. */
  readonly queuedBy?: number | undefined;
}

export function and({ status, wallet, network, eventIds, queuedBy }: LaunchFilter): SQL {
  const conditions = [
    [sql`status =`, status],
    [sql`wallet =`, wallet],
    [sql`network =`, network],
    [sql`event_id in`, eventIds],
    [sql`queued_at <=`, queuedBy],
  ] as const;
  return sql.join(
    conditions.map(([is, value]) => (value === undefined ? sql`` : sql` and ${is} ${value}`)),
  );
}

const NAMED = Object.entries(getTableColumns(launches)).map(
  ([field, { name }]) => `"${name}" as "${field}"`,
);

type StoredLaunch = typeof launches.$inferSelect;

function toRow({ firstBuyLamports: lamports, firstBuyUnits, ...row }: StoredLaunch): LaunchRow {
  const minUnits = BigInt(firstBuyUnits ?? 0);
  return { ...row, firstBuy: lamports === null ? null : { lamports: BigInt(lamports), minUnits } };
}

export abstract class LaunchQueue extends Spending {
  constructor(db: Database) {
    super(db, "launches");
  }

  /**
   * Leases the next launch, and counts the attempt. Each wallet's launches are leased one at a time
   * and in order. A launch whose transaction is undecided comes first in its wallet and keeps the
   * UTC day in which it was signed; the others get the current day.
   */
  async lease(
    leaseId: string,
    leaseMs: number,
    { isPaused, maxPerHour = Number.POSITIVE_INFINITY }: StartLimits = {},
  ): Promise<LaunchRow | null> {
    const isCounted = !isPaused && Number.isFinite(maxPerHour);
    const mayStart = isPaused ? sql`false` : isCounted ? hasTurn(maxPerHour) : sql`true`;
    const terms = { leaseId, leaseMs, mayStart };
    const take = async (session: Session) => {
      const stored = await session.get(leaseStatement(session, terms));
      return stored && toRow(stored);
    };
    try {
      if (!isCounted) return await this.db.write(take);
      // The lock makes servers take turns, so that together they keep the limit.
      return await this.db.transaction(
        async (transaction) => {
          const leased = await take(transaction);
          if (leased?.signature === null) await countStart(transaction, leased);
          return leased;
        },
        [INTAKE_LOCK],
      );
    } catch (error) {
      // An older launch of the wallet was just queued again, and another server leased it.
      if (!this.db.violates(error, "launches_leased")) throw error;
      return null;
    }
  }

  async read(wallet: string, eventId: string): Promise<LaunchRow | null> {
    const isIt = sql`event_id = ${eventId} and wallet = ${wallet}`;
    const stored = await this.db.read((session) => rowOf(session, launches, isIt));
    return stored && toRow(stored);
  }

  /** Returns at most 100 pending launches that agents pay for, unsigned ones first, by deadline. */
  async ofAgents(): Promise<LaunchRow[]> {
    const which = sql`status = 'pending' and sign_by is not null
      order by signature is not null, sign_by limit 100`;
    return (await this.db.read((session) => rowsOf(session, launches, which))).map(toRow);
  }

  /** @returns false if the lease is lost */
  async renew(eventId: string, leaseId: string, leaseMs: number): Promise<boolean> {
    const renewed = await this.db.write(({ now, run }) =>
      run(sql`update launches set lease_until = ${now} + ${Math.ceil(leaseMs)}
        where ${isLeased(eventId, leaseId)}`),
    );
    return renewed > 0;
  }

  journal(launch: LaunchRow, leaseId: string, shares: LaunchShares | null): LaunchJournal {
    const { eventId, tokenMint, poolAddress } = launch;
    const signed = signedOf(launch);
    return {
      latest: signed && tokenMint && poolAddress ? { ...signed, tokenMint, poolAddress } : null,
      reserve: (cost) => this.reserve(eventId, leaseId, { ...cost, shares }),
      settle: (spent) => this.settle(eventId, leaseId, spent),
      record: (attempt) => this.recordAttempt(eventId, leaseId, attempt),
    };
  }

  /** Uses up the UTC day if the launch lands. @throws {LeaseLostError}, {StartRefusedError} */
  async recordAttempt(eventId: string, leaseId: string, attempt: NewAttempt): Promise<null> {
    try {
      return await this.db.transaction(async (tx) => {
        if (!(await recordSigned(tx, isLeased(eventId, leaseId), attempt))) {
          throw new LeaseLostError();
        }
        return null;
      });
    } catch (error) {
      if (!this.db.violates(error, "launches_day")) throw error;
      await this.settle(eventId, leaseId, 0n);
      // The day may differ from that of the lease, or a launch that the agent pays for is undecided.
      const hasLaunched = await this.db.read((session) =>
        session.get(sql`select 1 from launches as own join launches as done
          on done.wallet = own.wallet and done.status = 'success' and done.day = ${session.today}
          where own.event_id = ${eventId} limit 1`),
      );
      throw new StartRefusedError(hasLaunched ? "launched_today" : "another_undecided");
    }
  }

  /** @returns milliseconds until the hourly limit lets a launch start; 0 if it may start now */
  async startsIn(eventId: string, maxPerHour: number): Promise<number> {
    if (!Number.isFinite(maxPerHour)) return 0;
    const row = await this.db.read((session) =>
      session.get(sql<{ ms: number }>`${CLOCK(session)} select
        case when ${hasTurn(maxPerHour)} then 0 else ${HOUR_MS} - ${TIME} + coalesce(
          (select max(started_at) from launch_starts where wallet = l.wallet
            and started_at ${IN_HOUR}),
          (select min(started_at) from launch_starts where started_at ${IN_HOUR})) end as ms
        from launches as l where event_id = ${eventId}`),
    );
    return row?.ms ?? 0;
  }

  /** Without a `reason`, the stored one stays. @returns false if the lease is lost */
  async postpone(
    eventId: string,
    leaseId: string,
    { delayMs, reason }: { readonly delayMs: number; readonly reason?: LaunchWait["reason"] },
  ): Promise<boolean> {
    const postponed = await this.db.write(({ now, run }) => {
      const waiting = sql`, waiting_for = ${reason},
        waiting_since = case when waiting_for = ${reason} then waiting_since else ${now} end`;
      // A launch that waits for SOL or its turn was not signed, or that can no longer land.
      const ended = ["launch_wallet_short", "daily_budget_spent", "deployment"];
      return run(sql`update launches set run_at = ${now} + ${Math.ceil(delayMs)},
          lease_id = null, lease_until = null ${reason ? waiting : sql.empty()}
          ${reason && ended.includes(reason) ? sql`, ${NOT_SIGNED}` : sql.empty()}
        where ${isLeased(eventId, leaseId)}`);
    });
    return postponed > 0;
  }

  /** Frees all leases, unless servers share the database: then they expire. @returns how many */
  async recover(): Promise<number> {
    if (this.db.isShared) return 0;
    return await this.db.write((session) =>
      session.run(sql`update launches set lease_id = null, lease_until = null
        where status = 'pending' and lease_id is not null`),
    );
  }
}

export const NOT_SIGNED = sql.raw(
  `day = null, signature = null, "transaction" = null, last_valid_block_height = null`,
);

/** Stores what was signed, and the current UTC day. @returns false if there is no such launch */
async function recordSigned(
  tx: Transaction,
  which: SQL,
  signed: TokenRef & {
    readonly signature: string;
    readonly terms: PoolTerms;
    readonly agentLamports?: string;
    readonly tipLamports?: bigint | null;
    /** Both are absent if the agent signed: its row of `prepared` has them. */
    readonly transaction?: Uint8Array;
    readonly lastValidBlockHeight?: number;
  },
): Promise<boolean> {
  const terms = JSON.stringify(signed.terms);
  const termsId = sql`(select id from pool_terms where terms = ${terms})`;
  const held = await tx.get<{ termsId: number | null; eventId: string }>(sql`update launches set
      day = ${tx.today}, signature = ${signed.signature},
      "transaction" = ${signed.transaction ?? null},
      last_valid_block_height = ${signed.lastValidBlockHeight ?? null},
      token_mint = ${signed.tokenMint}, pool_address = ${signed.poolAddress},
      terms_id = ${termsId}, agent_lamports = ${signed.agentLamports ?? null},
      tip_lamports = ${signed.tipLamports ? String(signed.tipLamports) : null},
      waiting_for = 'confirmation', waiting_since = ${tx.now}
    where ${which} returning terms_id as "termsId", event_id as "eventId"`);
  if (!held) return false;
  if (held.termsId === null) {
    await tx.run(sql`insert into pool_terms (terms) values (${terms}) on conflict do nothing`);
    await tx.run(sql`update launches set terms_id = ${termsId} where event_id = ${held.eventId}`);
  }
  return true;
}

export function isLeased(eventId: string, leaseId: string): SQL {
  return sql`event_id = ${eventId} and lease_id = ${leaseId} and status = 'pending'`;
}

/** One reading of the clock for a whole statement, so that time and day agree. */
const TIME = sql`(select ms from clock)`;
const DAY = sql`(select day from clock)`;
const CLOCK = ({ now, today }: Dialect) =>
  sql`with clock as materialized (select ${now} as ms, ${today} as day)`;
/** A start that is further ahead is from before the clock was set back. */
const IN_HOUR = sql`between ${TIME} - ${HOUR_MS} + 1 and ${TIME} + ${HOUR_MS}`;

// Conditions on a launch `l` in the search for the next launch; `hasTurn` is one more.

const IS_DUE = sql`(l.run_at <= ${TIME} or l.run_at > ${TIME} + ${LONGEST_DELAY_MS})`;

/** Its worker died, or leased it before the clock was set back. */
const isAbandoned = (leaseMs: number) => sql`(l.lease_id is not null
  and (l.lease_until <= ${TIME} or l.lease_until > ${TIME} + ${2 * leaseMs}))`;

/** No launch of its wallet is leased or comes first: signed before unsigned, then by age. */
const IS_NEXT_OF_WALLET = sql`(l.lease_id is null and not exists (
  select 1 from launches as other
  where other.status = 'pending' and other.wallet = l.wallet and other.event_id <> l.event_id
    and (other.lease_id is not null
      or (l.signature is null and (other.signature is not null
        or (other.seq < l.seq and other.payer is null))))))`;

/**
 * Leases a launch in one statement, which skips rows that another server changes, so no two servers
 * lease the same launch. If the row has changed since the search saw it, PostgreSQL checks the
 * newer row, and the index `launches_leased` refuses a wallet's second lease. Signed launches come
 * first: their tokens cannot be claimed until the outcome is known.
 */
function leaseStatement(
  dialect: Dialect,
  { leaseId, leaseMs, mayStart }: { leaseId: string; leaseMs: number; mayStart: SQL },
): SQL<StoredLaunch> {
  const first = (condition: SQL) => sql`(select l.event_id from launches as l
    where l.status = 'pending' and l.payer is null and ${condition} and ${IS_DUE}
      and (${isAbandoned(leaseMs)} or ${IS_NEXT_OF_WALLET})
    order by l.run_at, l.seq limit 1 ${dialect.locking("for update of l skip locked")})`;
  return sql<StoredLaunch>`${CLOCK(dialect)} update launches set lease_id = ${leaseId}, lease_until = ${TIME} + ${leaseMs},
      attempts = attempts + 1, day = case when signature is null then ${DAY} else day end,
      waiting_for = coalesce(waiting_for, 'deployment'),
      waiting_since = case when waiting_for is null then ${TIME} else waiting_since end
    where status = 'pending'
      and event_id = coalesce(${first(sql`l.signature is not null`)}, ${first(mayStart)})
    returning ${sql.raw(NAMED.join(", "))}`;
}

/**
 * Whether the hourly limit lets a launch start. An agent gets one start an hour, so that its
 * backlog takes none from others. If the agent launched today, the lease only ends the launch.
 */
function hasTurn(maxPerHour: number): SQL {
  return sql`(exists (select 1 from launch_starts as own
      where own.event_id = l.event_id and own.started_at ${IN_HOUR})
    or exists (select 1 from launches as done
      where done.status = 'success' and done.wallet = l.wallet and done.day = ${DAY})
    or ((select count(*) from launch_starts where started_at ${IN_HOUR}) < ${maxPerHour}
      and l.wallet not in (select wallet from launch_starts where started_at ${IN_HOUR})))`;
}

/** Counts a launch's start once an hour, and deletes the starts of earlier hours. */
async function countStart(
  transaction: Transaction,
  { eventId, day }: Pick<LaunchRow, "eventId" | "day">,
): Promise<void> {
  const { now } = transaction;
  await transaction.run(sql`delete from launch_starts where started_at <= ${now} - ${HOUR_MS}`);
  await transaction.run(sql`insert into launch_starts (event_id, wallet, started_at, address, network)
    select event_id, wallet, ${now}, address, network from launches as leased
    where event_id = ${eventId} and not exists (
      select 1 from launches as done
      where done.status = 'success' and done.wallet = leased.wallet and done.day = ${day})
    on conflict (event_id) do update set started_at = excluded.started_at
    where launch_starts.started_at <= ${now} - ${HOUR_MS}`);
}

interface Waiting {
  readonly eventId: string;
  readonly day: string;
  readonly isWaiting: boolean;
  readonly isLate: boolean;
  readonly hasLaunched: boolean;
  readonly isAnotherUndecided: boolean;
  readonly isBlocked: boolean;
  /** The operator's settings as JSON; null if there are none yet. */
  readonly steering: string | null;
  readonly hasTurn: boolean;
}

/**
 * Starts a launch that its agent signed, in the transaction that stores its bytes. Checks the
 * operator's pause and blocks, the hourly limit and the agent's other launches.
 * @throws {StartRefusedError}
 */
export async function startPaidLaunch(
  tx: Transaction,
  { launchSeq, launch }: Pick<typeof prepared.$inferSelect, "launchSeq" | "launch">,
  signature: string,
  maxPerHour: number,
): Promise<void> {
  if (launch === null) throw new Error("a launch was handed out with what it makes");
  const isCounted = Number.isFinite(maxPerHour);
  const found = await tx.get(sql<Waiting>`${CLOCK(tx)} select event_id as "eventId", ${DAY} as day,
      status = 'pending' and signature is null as "isWaiting", sign_by <= ${TIME} as "isLate",
      exists (select 1 from launches as done where done.status = 'success'
        and done.wallet = l.wallet and done.day = ${DAY}) as "hasLaunched",
      exists (select 1 from launches as other where other.status = 'pending'
        and other.wallet = l.wallet and other.seq <> l.seq
        and (other.lease_id is not null or other.signature is not null)) as "isAnotherUndecided",
      exists (select 1 from agent_rules where wallet = l.wallet and blocked_at is not null)
        as "isBlocked",
      (select settings from steering) as steering,
      ${isCounted ? hasTurn(maxPerHour) : sql`true`} as "hasTurn"
    from launches as l where seq = ${launchSeq} ${tx.locking("for update of l")}`);
  const refuse = (reason: StartRefusal) => {
    throw new StartRefusedError(reason);
  };
  if (!found?.isWaiting) return refuse("not_waiting");
  if (found.isLate) return refuse("too_late");
  if (arePaused("launches", found.steering)) return refuse("paused");
  if (found.isBlocked) return refuse("wallet_blocked");
  if (found.hasLaunched) return refuse("launched_today");
  if (found.isAnotherUndecided) return refuse("another_undecided");
  if (!found.hasTurn) return refuse("launch_rate_limit");
  const { eventId, day } = found;
  await recordSigned(tx, sql`event_id = ${eventId}`, { ...launch, signature });
  if (isCounted) await countStart(tx, { eventId, day });
}
