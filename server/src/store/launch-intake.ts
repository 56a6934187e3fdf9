import type { LaunchStatusName } from "@tokenctl/shared/types";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../base/utc-day.ts";
import { decide } from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Database, Statement, Transaction } from "./database.ts";
import { decideInserts, type InsertDecision, requestOf, retryOf } from "./insert-decision.ts";
import { Intake } from "./intake.ts";
import { type BatchRequest, IntakeBatch } from "./intake-batch.ts";
import { HOLDER, readFacts } from "./intake-facts.ts";
import { asRequest, type IntakeState, RECENT_TOKENS, type StateQuery } from "./intake-state.ts";
import { SERVICE_TIME } from "./launch-queue.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin, RetryOutcome } from "./new-launch.ts";
import { redeem } from "./operator.ts";

/** Puts requests in the queue. Every decision is made in the transaction that stores them. */
export class LaunchIntake {
  readonly #db: Database;
  readonly #intake: Intake;

  constructor(db: Database) {
    this.#db = db;
    this.#intake = new Intake(db);
  }

  /** See `Launches.insert`. */
  async insert(launches: readonly NewLaunch[], limits: IntakeLimits): Promise<InsertOutcome[]> {
    if (launches.length === 0) return [];
    let accepted: readonly NewLaunch[] = [];
    return await this.#intake.decide(
      launches.map(requestOf),
      limits,
      async (transaction, batch, { drawn, ...facts }) => {
        const decision = decideInserts(launches, batch, { ...facts, ...limits });
        accepted = decision.accepted;
        const seqs = accepted.map((launch) => drawn[launches.indexOf(launch)] ?? null);
        return {
          outcomes: decision.outcomes,
          accepted: accepted.map(requestOf),
          write: () => write(transaction, decision, seqs),
        };
      },
      () => this.#isStored(accepted),
    );
  }

  /** See `Launches.retry`. */
  retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): Promise<RetryOutcome> {
    const request = retryOf({ wallet, eventId, ticker: null }, origin);
    return this.#intake.decide(
      [request],
      limits,
      async (transaction, batch) => {
        const { outcome, releases } = await decideRetry(transaction, batch, request, limits);
        return {
          outcomes: outcome,
          accepted: outcome.kind === "stored" ? [request] : [],
          write: async () => {
            if (releases !== null) await release(transaction, releases);
            return await this.#requeue(transaction, eventId, origin);
          },
        };
      },
      // A repeated retry is refused as one of a pending launch, so it is safe to say that it failed.
      async () => false,
    );
  }

  /** See `Launches.intakeState`. */
  intakeState(query: StateQuery): Promise<IntakeState> {
    const [request, limits] = asRequest(query);
    return this.#db.read(async (session) => {
      const options = { isCounting: true, isDrawing: false };
      const facts = await readFacts(session, [request], limits, options);
      const agent = await session.get(AGENT, { wallet: query.wallet });
      const recent = await session.all(RECENT);
      return {
        ...new IntakeBatch(facts, limits).factsOf(request),
        pendingOfAgent: agent?.pending ?? 0,
        hasLaunchedToday: Boolean(agent?.hasLaunchedToday),
        recentMs: recent.map(({ ms }) => ms),
      };
    });
  }

  /** A transaction stores all or none: one says it of all. */
  async #isStored([first]: readonly NewLaunch[]): Promise<boolean> {
    if (first === undefined) return true;
    const row = await this.#db.read((session) =>
      session.get(sql`select 1 as one from launches where event_id = ${first.eventId}`),
    );
    return row !== null;
  }

  async #requeue(
    transaction: Transaction,
    eventId: string,
    { now, address }: RequestOrigin,
  ): Promise<boolean> {
    await transaction.run(
      sql`update launch_starts set event_id = null where event_id = ${eventId}`,
    );
    try {
      const network = address === null ? null : networkOf(address);
      await transaction.run(sql`update launches set status = 'pending', processed_at = null,
          error = null, run_at = ${now}, day = null, signature = null, "transaction" = null,
          last_valid_block_height = null, token_mint = null, pool_address = null,
          ticker_released = 0, address = ${address}, network = ${network},
          queued_at = ${SERVICE_TIME}, reserved_lamports = null, reserved_day = null,
          waiting_for = null, waiting_since = null
        where event_id = ${eventId}`);
      return true;
    } catch (error) {
      // Another launch took the ticker at this moment.
      if (this.#db.violates(error, "launches_ticker")) return false;
      throw error;
    }
  }
}

const value = sql.placeholder;

const AGENT: Statement<{ pending: number; hasLaunchedToday: boolean | 0 | 1 }> = ({ today }) =>
  sql`select (select count(*) from launches where wallet = ${value("wallet")} and status = 'pending')
      as pending,
    exists (select 1 from launches where wallet = ${value("wallet")} and status = 'success'
      and day = ${today}) as "hasLaunchedToday"`;

const RECENT: Statement<{ ms: number }> = ({ now }) => sql`select deployed_at - created_at as ms
  from (select event_id, deployed_at from tokens order by id desc
    limit ${sql.raw(`${RECENT_TOKENS}`)}) as latest
  join launches using (event_id) where deployed_at >= ${now} - ${sql.raw(`${DAY_MS}`)}`;

type Released = InsertDecision["released"][number];

/** Takes a ticker from the launch that ended without a token early enough. */
async function release(transaction: Transaction, { ticker, endedBy }: Released): Promise<void> {
  await transaction.run(sql`update launches set ticker_released = 1
    where ticker = ${ticker} and ticker_released = 0
      and status in ('failed', 'rate_limited') and processed_at <= ${endedBy}`);
}

/** @returns with `releases` the ticker, if another launch has it and does not keep it */
async function decideRetry(
  transaction: Transaction,
  batch: IntakeBatch,
  request: BatchRequest,
  limits: IntakeLimits,
): Promise<{ readonly outcome: RetryOutcome; readonly releases: Released | null }> {
  const refused = (outcome: RetryOutcome) => ({ outcome, releases: null });
  const { eventId, wallet, now } = request;
  const launch = await transaction.get<{ status: LaunchStatusName; ticker: string }>(
    sql`select status, ticker from launches where event_id = ${eventId} and wallet = ${wallet}
      ${transaction.locking("for update")}`,
  );
  if (!launch) return refused({ kind: "unknown" });
  const { status, ticker } = launch;
  if (status !== "failed" && status !== "rate_limited") {
    return refused({ kind: "not_ended", status });
  }
  const found = await transaction.get(HOLDER, { ticker });
  const holder = found?.eventId === eventId ? null : found;
  const [refusal] = decide(request, { ...batch.factsOf(request), holder }, limits);
  if (refusal !== undefined) return refused({ kind: refusal, ticker });
  const releases = holder === null ? null : { ticker, endedBy: now - limits.tickerHoldMs };
  return { outcome: { kind: "stored", ticker }, releases };
}

/** @returns whether all of it was written; if not, another server was faster */
async function write(
  transaction: Transaction,
  { accepted, released, redeemed }: InsertDecision,
  seqs: readonly (number | null)[],
): Promise<boolean> {
  for (const one of released.toSorted(by(({ ticker }) => ticker))) await release(transaction, one);
  for (const { wallet, codeHash } of redeemed.toSorted(by((it) => it.codeHash + it.wallet))) {
    if ((await redeem(transaction, wallet, codeHash)) !== "redeemed") return false;
  }
  const rows = accepted.map((launch, index) => rowOf(launch, seqs[index] ?? null));
  return (await store(transaction, rows)) === accepted.length;
}

// One statement for the batch on PostgreSQL, where each takes an answer of its machine. On SQLite a row by
// itself takes 12 µs, and its statement is prepared once; of a batch it would be prepared for each size.

const COLUMNS = {
  event_id: "text",
  seq: "bigint",
  wallet: "text",
  name: "text",
  ticker: "text",
  description: "text",
  image_url: "text",
  created_at: "bigint",
  idempotency_key: "text",
  request_hash: "text",
  address: "text",
  network: "text",
  website: "text",
  twitter: "text",
  telegram: "text",
  image_hash: "text",
  on_chain_name: "text",
} as const;
type Column = keyof typeof COLUMNS;
type Row = Readonly<Record<Column, string | number | null>>;
const NAMES = Object.keys(COLUMNS) as Column[];
const INTO = sql.raw(`insert into launches (${NAMES.join(", ")}, run_at, queued_at)`);

const STORE_ONE: Statement<unknown> = () => sql`${INTO} values (
  ${sql.join(NAMES.map(value), sql`, `)}, ${value("created_at")}, ${SERVICE_TIME})`;

// In the order of tickers, so that two servers do not wait for each other's. A launch is due at once even if
// the clock of the server that created it is ahead.
const STORE_ALL: Statement<unknown> = ({ now }) => sql`${INTO}
  select launch.*, least(created_at, ${now}), ${SERVICE_TIME} from unnest(${sql.join(
    NAMES.map((name) => sql`cast(${value(name)} as ${sql.raw(`${COLUMNS[name]}[]`)})`),
    sql`, `,
  )}) as launch (${sql.raw(NAMES.join(", "))})
  order by ticker on conflict do nothing`;

function rowOf(launch: NewLaunch, seq: number | null): Row {
  const { idempotency, address, onChainName = null } = launch;
  return {
    ...{ event_id: launch.eventId, seq, wallet: launch.wallet, name: launch.name },
    ...{ ticker: launch.ticker, description: launch.description, image_url: launch.imageUrl },
    ...{ created_at: launch.createdAt, idempotency_key: idempotency?.key ?? null },
    ...{ request_hash: idempotency?.requestHash ?? null, address },
    network: address === null ? null : networkOf(address),
    ...{ website: launch.website, twitter: launch.twitter, telegram: launch.telegram },
    ...{ image_hash: launch.imageHash, on_chain_name: onChainName },
  };
}

/** @returns how many were stored */
async function store(transaction: Transaction, rows: readonly Row[]): Promise<number> {
  if (transaction.engine === "postgres") {
    const columns = NAMES.map((name) => [name, rows.map((row) => row[name])] as const);
    return await transaction.run(STORE_ALL, Object.fromEntries(columns));
  }
  for (const row of rows) await transaction.run(STORE_ONE, row);
  return rows.length;
}

function by<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}
