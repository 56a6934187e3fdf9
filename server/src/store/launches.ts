import { sql } from "drizzle-orm";
import { DAY_MS } from "../base/utc-day.ts";
import type { IntakeFacts, IntakeRequest } from "../domain/intake.ts";
import { type IntakeLimits, type LaunchShares, UNBOUNDED } from "../domain/intake-limits.ts";
import { type LaunchAttempt, type LaunchJournal, signedOf } from "../domain/journal.ts";
import { networkOf } from "../domain/shares.ts";
import type { Statement, Transaction } from "./database.ts";
import { decideInserts, type Row, requestOf, rowOf, storeRows } from "./insert-launches.ts";
import { Intake } from "./intake.ts";
import { IntakeBatch } from "./intake-batch.ts";
import { type BatchRequest, readFacts } from "./intake-facts.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { archive, NOT_SIGNED, SERVICE_TIME } from "./launch-queue.ts";
import type {
  InsertOutcome,
  LaunchRow,
  NewLaunch,
  RetryOutcome,
  RetryRequest,
} from "./launch-row.ts";
import { launches } from "./schema.ts";

/** What decides whether a launch would be accepted now, and when it would be on chain. */
export interface IntakeState extends IntakeFacts {
  /** Launches of the agent that are pending. */
  readonly pendingOfAgent: number;
  /** Whether a launch of the agent that belongs to the UTC day that is now has succeeded. */
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
};

/** Limits that ask for all facts. */
const ASKING: IntakeLimits = {
  ...UNBOUNDED,
  maxOfAgent: 0,
  maxOfAddress: 0,
  maxPending: 0,
  budget: { maxDailyLamports: 0n, launchLamports: 1n },
};

/**
 * The launches and their queue. Whether a request is accepted is decided in the transaction that stores it.
 * A change that names a lease does nothing if the lease does not hold the launch. Leases and days run by the
 * store's clock, not by the caller's.
 */
export class Launches extends LaunchOutcomes {
  readonly #intake = new Intake(this.db);

  /** Stores requests in one durable transaction, in order; each has its own outcome. */
  async insert(
    launches: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<readonly InsertOutcome[]> {
    if (launches.length === 0) return [];
    const requests = launches.map(requestOf);
    let first: Row | undefined;
    return await this.#intake.decide({
      requests,
      limits,
      decide: async (_, batch, facts) => {
        const outcomes = decideInserts(launches, requests, { facts, batch });
        const rows = launches.flatMap((launch, index) => {
          if (outcomes[index]?.kind !== "stored") return [];
          return [rowOf(launch, { ...limits, seq: facts.drawn[index] ?? null })];
        });
        first = rows[0];
        const write = async (session: Transaction) =>
          (await storeRows(session, rows)) === rows.length;
        return { outcomes, write };
      },
      isStored: async () => first === undefined || (await this.#isStored(first)),
    });
  }

  /** Puts a launch of this wallet that ended without a token back in the queue. */
  async retry(asked: RetryRequest, limits: IntakeLimits = UNBOUNDED): Promise<RetryOutcome> {
    const { wallet, eventId, objection } = asked;
    const own = sql`event_id = ${eventId} and wallet = ${wallet}`;
    const launch = await this.db.read((session) =>
      session.get<Pick<LaunchRow, "ticker" | "payer" | "signature">>(
        sql`select ticker, payer, signature from launches where ${own}`,
      ),
    );
    if (!launch) return { kind: "unknown" };
    const { ticker } = launch;
    const isPaidByAgent = launch.payer === "agent";
    if (!isPaidByAgent && !limits.payers.includes("operator")) return { kind: "not_paid", ticker };
    const objections = objection ? [objection] : [];
    // A signature costs its agent a fee; without one it could hold tickers for nothing.
    const isCounted = isPaidByAgent && launch.signature === null;
    const again = { isRetry: true, isCounted, isPaidByAgent };
    const request = { ...BARE, ...asked, ...again, ticker, objections };
    return await this.#intake.decide<RetryOutcome>({
      requests: [request],
      limits,
      decide: async (transaction, batch) => {
        const found = await transaction.get<Pick<LaunchRow, "status">>(
          sql`select status from launches where ${own} ${transaction.locking("for update")}`,
        );
        const status = found?.status ?? "pending";
        if (status === "pending" || status === "success") {
          return { outcomes: { kind: "not_ended", status } };
        }
        const refusal = batch.decide(request);
        if (refusal !== null) return { outcomes: { kind: refusal, ticker } };
        const write = (session: Transaction) =>
          this.#requeue(session, request, limits.signWithinMs);
        return { outcomes: { kind: "stored", ticker }, write };
      },
      // A repeated retry is refused as one of a pending launch, so it is safe to say that it failed.
      isStored: async () => false,
    });
  }

  /** What would decide about a launch now. Changes nothing, and draws no number of the queue. */
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

  /**
   * A transaction stores all or none: one row says it of all. Another server may have stored the same event,
   * but under another number.
   */
  async #isStored({ seq, eventId }: Row): Promise<boolean> {
    const isIt = sql`seq = ${seq} and event_id = ${eventId}`;
    return (await this.db.read(({ orm }) => orm.$count(launches, isIt))) > 0;
  }

  /** @returns false if another launch took the ticker at this moment */
  async #requeue(
    transaction: Transaction,
    { eventId, now, address }: BatchRequest,
    signWithinMs: number,
  ): Promise<boolean> {
    const isIt = sql`event_id = ${eventId}`;
    await transaction.run(sql`update launch_starts set event_id = null where ${isIt}`);
    await archive(transaction, isIt);
    try {
      const network = address === null ? null : networkOf(address);
      await transaction.run(sql`update launches set ${NOT_SIGNED}, status = 'pending', processed_at = null,
          error = null, run_at = ${now}, token_mint = null, pool_address = null, agent_lamports = null,
          ticker_released = 0, address = ${address}, network = ${network},
          queued_at = ${SERVICE_TIME}, reserved_lamports = null, reserved_day = null,
          waiting_for = case when payer is not null then 'agent_signature' end,
          waiting_since = case when payer is not null then cast(${now} as bigint) end,
          sign_by = case when payer is not null then cast(${now + signWithinMs} as bigint) end
        where ${isIt}`);
      return true;
    } catch (error) {
      if (this.db.violates(error, "launches_ticker")) return false;
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
  from (select launch_seq, deployed_at from tokens order by id desc
    limit 20) as latest
  join launches on seq = launch_seq where deployed_at >= ${now} - ${sql.raw(`${DAY_MS}`)}`;

/** The journal of a launch that `leaseId` holds. @param shares see `Launches.reserve` */
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
