import type { LaunchStatusName, WaitingFor } from "@tokenctl/shared/types";
import { sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS } from "../base/utc-day.ts";
import type { IntakeFacts, IntakeRequest } from "../domain/intake.ts";
import { type IntakeLimits, type LaunchShares, UNBOUNDED } from "../domain/intake-limits.ts";
import type { LaunchAttempt, LaunchJournal } from "../domain/journal.ts";
import type { LaunchWait } from "../domain/launch.ts";
import { lamportsOf, rowOf, type Statement, signedOf } from "./database.ts";
import { Intake } from "./intake.ts";
import { type BatchRequest, IntakeBatch, readFacts } from "./intake-facts.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { toRow } from "./launch-queue.ts";
import type {
  InsertOutcome,
  LaunchRow,
  LaunchSummary,
  ListedLaunch,
  NewLaunch,
  RetryOutcome,
  RetryRequest,
} from "./launch-row.ts";
import { inviteHash } from "./operator.ts";
import { launches as table } from "./schema.ts";
import { type Page, type PagePart, readPage } from "./tokens.ts";

/** The most time that one call of `passTime` counts, in milliseconds: the clock may have been set. */
export const LONGEST_STEP_MS = HOUR_MS;

/** Places are counted up to this one: an agent asks often, and each question counts. */
export const MAX_PLACE = 1_000;

type WaitColumns = Pick<LaunchRow, "waitingFor" | "waitingSince" | "runAt" | "leaseId">;
type Stored<Launch> = Omit<Launch, "wait" | "agentLamports"> &
  WaitColumns & { readonly agentLamports: string | null };

const SUMMARY = sql.raw(`event_id as "eventId", ticker, status, created_at as "createdAt",
  processed_at as "processedAt", error, token_mint as "tokenMint", pool_address as "poolAddress",
  waiting_for as "waitingFor", waiting_since as "waitingSince", run_at as "runAt",
  lease_id as "leaseId", payer, sign_by as "signBy", agent_lamports as "agentLamports"`);

const value = sql.placeholder;

const FIND: Statement<Stored<LaunchSummary>> = () => sql`select ${SUMMARY} from launches
  where event_id = ${value("eventId")} and wallet = ${value("wallet")}`;

const PLACE: Statement<{ before: number }> = () => sql`select count(*) as before from (
  select 1 from launches
  where status = 'pending' and payer is null
    and (run_at, seq) < (select run_at, seq from launches where event_id = ${value("eventId")})
  limit ${MAX_PLACE - 1}) as earlier`;

/**
 * A wallet has few of all launches: on SQLite, to sort the numbers of its own and read 50 of 10,000 takes a
 * tenth of reading all rows before they are sorted.
 */
const listStatement =
  (hasStatus: boolean): Statement<Stored<ListedLaunch>> =>
  () =>
    sql`select seq as id, name, ${SUMMARY} from launches where seq in (
      select seq from launches where wallet = ${value("wallet")}
        ${hasStatus ? sql`and status = ${value("status")}` : sql.empty()}
        and +seq < ${value("before")}
      order by +seq desc limit ${value("limit")})
    order by seq desc`;
const [LIST, LIST_OF_STATUS] = [listStatement(false), listStatement(true)];

/** What decides whether a launch would be accepted now, and when it would be on chain. */
export interface IntakeState extends IntakeFacts {
  readonly pendingOfAgent: number;
  readonly hasLaunchedToday: boolean;
  /** Milliseconds from request to token of the latest tokens of the last day; 20 at most. */
  readonly recentMs: readonly number[];
}

/** Who asks about the intake. */
export interface StateQuery
  extends Pick<IntakeRequest, "wallet" | "now">,
    Partial<Pick<IntakeRequest, "ticker" | "address" | "inviteHash">> {
  /** Whether the places of the hour are read, which takes as long as launches are pending. */
  readonly readsPlaces?: boolean;
}

const BARE: Omit<BatchRequest, "wallet" | "now"> = {
  eventId: "",
  ticker: null,
  address: null,
  isRetry: false,
  isCounted: true,
  isPaidByAgent: false,
  inviteHash: null,
  objections: [],
  requestHash: null,
  imageHash: null,
  launch: null,
};

const ASKING: IntakeLimits = {
  ...UNBOUNDED,
  maxOfAgent: 0,
  maxOfAddress: 0,
  maxPending: 0,
  budget: { maxDailyLamports: 0n, launchLamports: 1n },
};

/** A change that names a lease does nothing without it. Leases and days run by the store's clock. */
export class Launches extends LaunchOutcomes {
  readonly #intake = new Intake(this.db);

  /** One launch of a wallet; what belongs to another wallet does not exist. */
  find(wallet: string, eventId: string): Promise<LaunchSummary | null> {
    return this.db.read(async (session) => {
      const row = await session.get(FIND, { eventId, wallet });
      if (!row) return null;
      const found = toSummary(row);
      if (found.wait?.reason !== "queue") return found;
      const place = await session.get(PLACE, { eventId });
      return { ...found, wait: { ...found.wait, place: (place?.before ?? 0) + 1 } };
    });
  }

  list(
    wallet: string,
    status: LaunchStatusName | null,
    part: PagePart,
  ): Promise<Page<ListedLaunch>> {
    const statement = status === null ? LIST : LIST_OF_STATUS;
    return readPage(part, async (bounds) => {
      const values = { wallet, status, ...bounds };
      return (await this.db.read((session) => session.all(statement, values))).map(toSummary);
    });
  }

  async read(wallet: string, eventId: string): Promise<LaunchRow | null> {
    const isIt = sql`event_id = ${eventId} and wallet = ${wallet}`;
    const stored = await this.db.read((session) => rowOf(session, table, isIt));
    return stored && toRow(stored);
  }

  /**
   * Leaves no agent more time than the `withinMs` that it had at first: a clock that stepped back would.
   * @returns the next deadline by the store's clock, also of one that is signed: its transaction may expire
   * after it
   */
  async nextDeadline(withinMs: number): Promise<number | null> {
    await this.db.write((session) => {
      const latest = sql`${session.now} + ${withinMs}`;
      return session.run(sql`update launches set sign_by = ${latest}
        where status = 'pending' and sign_by > ${latest} and signature is null`);
    });
    const next = await this.db.read((session) =>
      session.get<{ at: number | null }>(sql`select min(sign_by) as at from launches
        where status = 'pending' and sign_by is not null`),
    );
    return next?.at ?? null;
  }

  /** Of launches that the operator pays for. */
  async backlog(): Promise<{ readonly depth: number; readonly oldestCreatedAt: number | null }> {
    // By `run_at` SQLite finds those that wait; otherwise it reads the index of all launches.
    const row = await this.db.read((session) =>
      session.get(sql<{ depth: number; oldestCreatedAt: number | null }>`select count(*) as depth,
        min(created_at) as "oldestCreatedAt" from launches
        where status = 'pending' and payer is null and run_at is not null`),
    );
    return row ?? { depth: 0, oldestCreatedAt: null };
  }

  /**
   * By this time launches wait: all servers share it, and it survives a restart. @param isCounted whether the
   * time since any server's last call counts
   */
  async passTime(isCounted: boolean): Promise<number> {
    const row = await this.db.write((session) => {
      const { now, greatest, least } = session;
      const step = sql`${least}(${greatest}(0, excluded.ticked_at - service_time.ticked_at),
        ${LONGEST_STEP_MS})`;
      return session.get(sql<{ ms: number }>`insert into service_time (id, ms, ticked_at)
        values (1, 0, ${now})
        on conflict (id) do update set ticked_at = excluded.ticked_at,
          ms = service_time.ms + ${isCounted ? step : sql`0`}
        returning ms`);
    });
    return row?.ms ?? 0;
  }

  /** In one durable transaction, in order; each has its own outcome. */
  async insert(
    launches: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<readonly InsertOutcome[]> {
    if (launches.length === 0) return [];
    const outcomes = await this.#intake.accept(launches.map(requestOf), limits);
    return launches.map(({ eventId }, index) => {
      const outcome = outcomes[index] as InsertOutcome;
      const isThere = outcome.kind === "stored" || outcome.kind === "replayed";
      return isThere ? { ...outcome, eventId } : outcome;
    });
  }

  async retry(asked: RetryRequest, limits: IntakeLimits = UNBOUNDED): Promise<RetryOutcome> {
    const { wallet, eventId, objection } = asked;
    const launch = await this.db.read((session) =>
      session.get<Pick<LaunchRow, "ticker" | "payer" | "signature">>(
        sql`select ticker, payer, signature from launches
          where event_id = ${eventId} and wallet = ${wallet}`,
      ),
    );
    if (!launch) return { kind: "unknown" };
    const { ticker } = launch;
    const isPaidByAgent = launch.payer === "agent";
    if (!isPaidByAgent && !limits.payers.includes("operator")) return { kind: "not_paid", ticker };
    const objections = objection ? [objection] : [];
    // A signature costs its agent a fee; without one it could hold tickers for nothing.
    const isCounted = isPaidByAgent && launch.signature === null;
    const again = { isRetry: true, isCounted, isPaidByAgent, ticker, objections };
    const [outcome] = await this.#intake.accept([{ ...BARE, ...asked, ...again }], limits);
    return { ...outcome, ticker } as RetryOutcome;
  }

  /** Changes nothing, and draws no number of the queue. */
  intakeState({ readsPlaces = false, ...query }: StateQuery): Promise<IntakeState> {
    const request = { ...BARE, ...query };
    const limits = readsPlaces ? { ...ASKING, maxPerHour: 0 } : ASKING;
    return this.db.read(async (session) => {
      const asked = { requests: [request], limits, isCounting: true, isDrawing: false };
      const facts = await readFacts(session, asked);
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
}

function toSummary<Row extends Stored<LaunchSummary>>({
  waitingFor,
  waitingSince,
  runAt,
  leaseId,
  agentLamports,
  ...summary
}: Row) {
  // A launch whose server stopped before it signed anything waits for its turn again.
  const isQueued = waitingFor === null || (waitingFor === "deployment" && leaseId === null);
  const wait: LaunchWait =
    isQueued || waitingSince === null
      ? { reason: "queue", since: runAt, place: null }
      : { reason: waitingFor as WaitingFor, since: waitingSince, place: null };
  const isWaiting = summary.status === "pending";
  return { ...summary, agentLamports: lamportsOf(agentLamports), wait: isWaiting ? wait : null };
}

function requestOf(launch: NewLaunch): BatchRequest {
  const { createdAt, inviteCode, objection, payer } = launch;
  return {
    ...launch,
    launch,
    now: createdAt,
    isRetry: false,
    isCounted: true,
    inviteHash: inviteCode == null ? null : inviteHash(inviteCode),
    objections: objection ? [objection] : [],
    isPaidByAgent: payer === "agent",
  };
}

const AGENT: Statement<{ pending: number; hasLaunchedToday: boolean | 0 | 1 }> = ({ today }) =>
  sql`select (select count(*) from launches where wallet = ${value("wallet")} and status = 'pending')
      as pending,
    exists (select 1 from launches where wallet = ${value("wallet")} and status = 'success'
      and day = ${today}) as "hasLaunchedToday"`;

const RECENT: Statement<{ ms: number }> = ({ now }) => sql`select deployed_at - created_at as ms
  from (select launch_seq, deployed_at from tokens order by id desc
    limit 20) as latest
  join launches on seq = launch_seq where deployed_at >= ${now} - ${sql.raw(`${DAY_MS}`)}`;

/** @param shares see `Launches.reserve` */
export function launchJournal(
  store: Pick<Launches, "reserve" | "settle" | "recordAttempt">,
  { id, launch }: { readonly id: string; readonly launch: LaunchRow },
  shares: LaunchShares | null,
): LaunchJournal {
  const { eventId } = launch;
  return {
    latest: latestAttempt(launch),
    reserve: (cost) => store.reserve(eventId, id, { ...cost, shares }),
    settle: (spent) => store.settle(eventId, id, spent),
    record: (attempt) => store.recordAttempt(eventId, id, attempt),
  };
}

function latestAttempt(launch: LaunchRow): LaunchAttempt | null {
  const { tokenMint, poolAddress } = launch;
  const signed = signedOf(launch);
  return signed && tokenMint && poolAddress ? { ...signed, tokenMint, poolAddress } : null;
}
