import type { LaunchStatusName, WaitingFor } from "@tokenctl/shared/types";
import { sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS, utcDay } from "../base/utc-day.ts";
import { IntakeBatch, type IntakeFacts, type IntakeRequest } from "../domain/intake.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import type { LaunchWait } from "../domain/launch.ts";
import { lamportsOf, type Statement } from "./database.ts";
import { BARE, LaunchIntake, readFacts } from "./intake.ts";
import type { LaunchRow, LaunchSummary, ListedLaunch } from "./launch-row.ts";
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

/** Limits that make all facts needed. */
const ASKING: IntakeLimits = {
  ...UNBOUNDED,
  maxOfAgent: 0,
  maxOfAddress: 0,
  maxPending: 0,
  budget: { maxDailyLamports: 0n, launchLamports: 1n },
};

/** A change that names a lease does nothing without it. Leases and days run by the store's clock. */
export class Launches extends LaunchIntake {
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

  /** Changes nothing, and draws no number of the queue. */
  intakeState({ readsPlaces = false, ...query }: StateQuery): Promise<IntakeState> {
    const request = { ...BARE, ...query, day: utcDay(query.now) };
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

const AGENT: Statement<{ pending: number; hasLaunchedToday: boolean | 0 | 1 }> = ({ today }) =>
  sql`select (select count(*) from launches where wallet = ${value("wallet")} and status = 'pending')
      as pending,
    exists (select 1 from launches where wallet = ${value("wallet")} and status = 'success'
      and day = ${today}) as "hasLaunchedToday"`;

const RECENT: Statement<{ ms: number }> = ({ now }) => sql`select deployed_at - created_at as ms
  from (select launch_seq, deployed_at from tokens order by id desc
    limit 20) as latest
  join launches on seq = launch_seq where deployed_at >= ${now} - ${sql.raw(`${DAY_MS}`)}`;
