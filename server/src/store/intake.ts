import type { LaunchStatusName } from "@tokenctl/shared/types";
import { sql } from "drizzle-orm";
import { DAY_MS, startOfUtcDay, utcDay } from "../base/clock.ts";
import {
  type BatchFacts,
  type BatchOutcome,
  type BatchRequest,
  IntakeBatch,
  NO_FACTS,
} from "../domain/intake.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import {
  POSTGRES_TYPES,
  type Session,
  type Statement,
  type Transaction,
  typeOf,
} from "./database.ts";
import { type FactName, statementOf } from "./intake-facts.ts";
import { LaunchOutcomes } from "./launch-outcomes.ts";
import { INTAKE_LOCK, NOT_SIGNED } from "./launch-queue.ts";
import type { LaunchRow, NewLaunch } from "./launch-row.ts";
import { launches } from "./schema.ts";

/**
 * - `replayed`, `key_reused`: the key is known, with the same content or with different content.
 * - `image_gone`: the image has expired; it cannot expire while the launch is being stored.
 * - `not_paid`: the operator paid for the launch, and no longer pays for launches.
 */
export type IntakeOutcome =
  | { readonly kind: BatchOutcome | "unknown" | "not_paid" }
  | { readonly kind: "not_ended"; readonly status: LaunchStatusName };

export interface RetryRequest
  extends Pick<NewLaunch, "wallet" | "eventId" | "address" | "objection"> {
  readonly now: number;
}

interface Request extends BatchRequest {
  /** Missing for a retry. */
  readonly launch?: NewLaunch;
}

interface Asked {
  readonly requests: readonly Request[];
  readonly limits: IntakeLimits;
}

export const BARE: Omit<BatchRequest, "wallet" | "now" | "day"> = {
  eventId: "",
  ticker: null,
  address: null,
  isRetry: false,
  isCounted: true,
  isPaidByAgent: false,
  objections: [],
  requestHash: null,
  imageHash: null,
};

/**
 * Accepts launches. One transaction for a batch of requests reads the facts, decides about each
 * request in order, and stores the accepted ones. Servers take turns, so that the facts stay true.
 */
export abstract class LaunchIntake extends LaunchOutcomes {
  #droppedOn = "";

  /** Stores launches in one durable transaction, in order. @returns the outcome of each */
  async insert(
    launches: readonly NewLaunch[],
    limits: IntakeLimits = UNBOUNDED,
  ): Promise<readonly IntakeOutcome[]> {
    return launches.length === 0 ? [] : this.#accept({ requests: launches.map(requestOf), limits });
  }

  async retry(asked: RetryRequest, limits: IntakeLimits = UNBOUNDED): Promise<IntakeOutcome> {
    const { wallet, eventId, address, now, objection } = asked;
    const launch = await this.db.read((session) =>
      session.get<Pick<LaunchRow, "ticker" | "payer" | "signature">>(
        sql`select ticker, payer, signature from launches
          where event_id = ${eventId} and wallet = ${wallet}`,
      ),
    );
    if (!launch) return { kind: "unknown" };
    const { ticker } = launch;
    const isPaidByAgent = launch.payer === "agent";
    if (!isPaidByAgent && !limits.payers.includes("operator")) return { kind: "not_paid" };
    const request: Request = {
      ...BARE,
      wallet,
      eventId,
      address,
      ticker,
      isPaidByAgent,
      now,
      day: utcDay(now),
      isRetry: true,
      // A signed launch cost its agent a fee. An unsigned one could hold a ticker for free.
      isCounted: isPaidByAgent && launch.signature === null,
      objections: objection ? [objection] : [],
    };
    const [outcome] = await this.#accept({ requests: [request], limits });
    return outcome as IntakeOutcome;
  }

  async #accept(asked: Asked): Promise<readonly IntakeOutcome[]> {
    const { limits } = asked;
    let decided: Decided | undefined;
    try {
      return await this.db.transaction(
        async (tx) => {
          const batch = new IntakeBatch(await readFacts(tx, asked), limits);
          decided = await decideAll(tx, batch, asked);
          await release(tx, batch);
          await store(tx, decided, limits.signWithinMs);
          await this.#countOfDay(tx, batch.accepted, limits);
          return decided.outcomes;
        },
        [INTAKE_LOCK],
      );
    } catch (error) {
      const isStored = decided && this.db.isCommitUnknown(error) && (await this.#isStored(decided));
      if (decided && isStored) return decided.outcomes;
      throw error;
    }
  }

  async #countOfDay(
    transaction: Transaction,
    accepted: readonly BatchRequest[],
    { maxOfAddress }: IntakeLimits,
  ): Promise<void> {
    const counted = accepted.flatMap(({ wallet, address, day, isRetry, isCounted }) => {
      const ofAddress = address !== null && Number.isFinite(maxOfAddress);
      // A new launch needs no count for its agent, because its row is counted.
      const clients = [...(ofAddress ? [address] : []), ...(isRetry && isCounted ? [wallet] : [])];
      return clients.map((client) => ({ client, day }));
    });
    const [first] = accepted;
    if (!first) return;
    if (counted.length > 0) await transaction.run(COUNT, { counted: JSON.stringify(counted) });
    if (this.#droppedOn === first.day) return;
    // Keeps yesterday's counts: the clock may step back over midnight.
    const last = utcDay(first.now - DAY_MS);
    await transaction.run(sql`delete from daily_launches where day < ${last}`);
    this.#droppedOn = first.day;
  }

  /**
   * Whether a commit without a response stored the batch. The lock waits for that transaction,
   * which PostgreSQL may still be committing. A repeated retry is refused.
   */
  async #isStored({ rows, retries }: Decided): Promise<boolean> {
    if (rows.length === 0) return retries.length === 0;
    const areThese = sql`event_id in ${rows.map(({ eventId }) => eventId)}`;
    const count = ({ orm }: Session) => orm.$count(launches, areThese);
    return (await this.db.transaction(count, [INTAKE_LOCK])) === rows.length;
  }
}

interface Decided {
  readonly outcomes: readonly IntakeOutcome[];
  readonly rows: readonly Row[];
  readonly retries: readonly Request[];
}

function requestOf(launch: NewLaunch): Request {
  const { createdAt, objection, payer } = launch;
  return {
    ...BARE,
    ...launch,
    launch,
    now: createdAt,
    day: utcDay(createdAt),
    objections: objection ? [objection] : [],
    isPaidByAgent: payer === "agent",
  };
}

async function decideAll(tx: Transaction, batch: IntakeBatch, { requests, limits }: Asked) {
  const outcomes: IntakeOutcome[] = [];
  const rows: Row[] = [];
  const retries: Request[] = [];
  for (const request of requests) {
    const { launch } = request;
    const status = launch ? null : await pendingStatus(tx, request);
    const outcome = status
      ? ({ kind: "not_ended", status } as const)
      : { kind: batch.decide(request) };
    outcomes.push(outcome);
    if (outcome.kind !== "stored") continue;
    if (launch) rows.push(rowOf(launch, limits.signWithinMs));
    else retries.push(request);
  }
  return { outcomes, rows, retries };
}

/** @returns null if the launch has ended without a token */
async function pendingStatus(tx: Transaction, { wallet, eventId }: Request) {
  const found = await tx.get<{ status: LaunchStatusName }>(sql`select status from launches
    where event_id = ${eventId} and wallet = ${wallet}`);
  const status = found?.status ?? "pending";
  return status === "pending" || status === "success" ? status : null;
}

async function store(tx: Transaction, { rows, retries }: Decided, signWithinMs: number) {
  // On PostgreSQL each statement costs a round trip, so one stores the batch. On SQLite a row of
  // its own takes 18 µs, and a row of a JSON list 35 µs.
  if (tx.engine === "postgres" && rows.length > 0) await tx.run(STORE_ALL, columnsOf(rows));
  else for (const row of rows) await tx.run(STORE_ONE, row);
  for (const request of retries) await requeue(tx, request, signWithinMs);
}

const FIELDS =
  `eventId wallet name onChainName ticker description imageUrl imageHash website twitter
  telegram createdAt address network requestHash payer firstBuyLamports firstBuyUnits
  signBy waitingFor waitingSince`.split(/\s+/) as (keyof typeof launches.$inferInsert)[];

type Row = Readonly<Record<string, string | number | null>>;

const columnsOf = (rows: readonly Row[]) =>
  Object.fromEntries(FIELDS.map((field) => [field, rows.map((row) => row[field] ?? null)]));

function rowOf(
  { onChainName = null, payer, firstBuy, ...launch }: NewLaunch,
  signWithinMs: number,
): Row {
  const { objection: _, ...stored } = launch;
  const isUnsigned = payer === "agent";
  return {
    ...stored,
    onChainName,
    network: launch.address === null ? null : networkOf(launch.address),
    payer: isUnsigned ? payer : null,
    firstBuyLamports: firstBuy?.lamports.toString() ?? null,
    firstBuyUnits: firstBuy?.minUnits.toString() ?? null,
    signBy: isUnsigned ? launch.createdAt + signWithinMs : null,
    waitingFor: isUnsigned ? "agent_signature" : null,
    waitingSince: isUnsigned ? launch.createdAt : null,
  };
}

const NAMES = sql.raw(FIELDS.map((field) => launches[field].name).join(", "));
const INTO = sql`insert into launches (${NAMES}, run_at, queued_at)`;
const value = sql.placeholder;

const STORE_ONE: Statement<unknown> = () => sql`${INTO} values (
  ${sql.join(FIELDS.map(value), sql`, `)}, ${value("createdAt")}, ${value("createdAt")})`;

// `least` makes a launch due at once even if the clock of the server that created it is ahead.
const STORE_ALL: Statement<unknown> = ({ now }) => sql`${INTO}
  select ${NAMES}, least(created_at, ${now}), least(created_at, ${now}) from unnest(${sql.join(
    FIELDS.map((field) => {
      const type = POSTGRES_TYPES[typeOf(launches[field])];
      return sql`cast(${value(field)} as ${sql.raw(type)}[])`;
    }),
    sql`, `,
  )}) with ordinality as launch (${NAMES}, n) order by n`;

async function requeue(tx: Transaction, { eventId, now, address }: Request, signWithinMs: number) {
  const isIt = sql`event_id = ${eventId}`;
  await tx.run(sql`update launch_starts set event_id = null where ${isIt}`);
  const network = address === null ? null : networkOf(address);
  await tx.run(sql`update launches set ${NOT_SIGNED}, status = 'pending', processed_at = null,
      error = null, run_at = ${now}, token_mint = null, pool_address = null, agent_lamports = null,
      ticker_released = 0, address = ${address}, network = ${network},
      queued_at = ${now}, reserved_lamports = null, reserved_day = null,
      waiting_for = case when payer is not null then 'agent_signature' end,
      waiting_since = case when payer is not null then cast(${now} as bigint) end,
      sign_by = case when payer is not null then cast(${now + signWithinMs} as bigint) end
    where ${isIt}`);
}

const COUNT: Statement<unknown> = ({
  json,
}) => sql`insert into daily_launches (day, client, launches)
  select value ->> 'day' as day, value ->> 'client' as client, count(*)
  from ${json.each}(${sql.placeholder("counted")}) as counted group by 1, 2 order by 1, 2
  on conflict (day, client) do update set launches = daily_launches.launches + excluded.launches`;

async function release(transaction: Transaction, batch: IntakeBatch): Promise<void> {
  for (const { ticker, endedBy } of batch.released) {
    await transaction.run(sql`update launches set ticker_released = 1
      where ticker = ${ticker} and ticker_released = 0
        and status in ('failed', 'rate_limited') and processed_at <= ${endedBy}`);
  }
}

/** What each fact's query asks about; the query is skipped if it is empty or false. */
const ASKS: Record<FactName, (asked: Asked) => readonly unknown[] | boolean> = {
  known: ({ requests }) =>
    all(
      requests.filter(({ requestHash }) => requestHash !== null),
      "eventId",
    ),
  agents: ({ requests, limits }) =>
    Number.isFinite(limits.maxOfAgent) &&
    requests.map(({ wallet, now, day }) => ({ wallet, day, start: startOfUtcDay(now) })),
  addresses: (of) => Number.isFinite(of.limits.maxOfAddress) && addressesOf(of),
  origins: (of) => isQueueLimited(of.limits) && addressesOf(of),
  tickers: ({ requests }) => all(requests, "ticker"),
  standings: ({ requests }) => all(requests, "wallet"),
  images: ({ requests }) => all(requests, "imageHash"),
  places: ({ limits }) => Number.isFinite(limits.maxPerHour),
  spentLamports: ({ limits }) => limits.budget !== null,
  reserved: ({ limits }) => limits.budget !== null,
  depth: ({ limits }) => isQueueLimited(limits),
  ofAgents: ({ limits }) => isQueueLimited(limits),
};

function all<Field extends keyof BatchRequest>(requests: readonly BatchRequest[], name: Field) {
  return requests.map((request) => request[name]).filter((one) => one !== null);
}

function addressesOf({ requests }: Asked) {
  return requests.flatMap(({ address, day }) =>
    address === null ? [] : [{ address, network: networkOf(address), day }],
  );
}

function isQueueLimited({ maxPending, budget }: IntakeLimits): boolean {
  return Number.isFinite(maxPending) || budget !== null;
}

const statements = new Map<string, Statement<Record<string, unknown>>>();

export async function readFacts(session: Session, asked: Asked): Promise<BatchFacts> {
  const values: Record<string, string> = {};
  const names = (Object.keys(ASKS) as FactName[]).filter((name) => {
    const asks = ASKS[name](asked);
    if (typeof asks === "boolean") return asks;
    values[name] = JSON.stringify(asks);
    return asks.length > 0;
  });
  if (names.length === 0) return NO_FACTS;
  const key = names.join();
  const statement = statements.get(key) ?? statementOf(names);
  statements.set(key, statement);
  const stored = Object.entries((await session.get(statement, values)) ?? {});
  return {
    ...NO_FACTS,
    ...Object.fromEntries(stored.map(([name, fact]) => [name, read(name, fact)])),
  };
}

/** SQLite returns lists as text, and booleans as numbers; PostgreSQL's driver parses both. */
function read(name: string, fact: unknown): unknown {
  if (name === "spentLamports") return BigInt(fact as string);
  const parsed = typeof fact === "string" ? JSON.parse(fact) : fact;
  if (name !== "standings") return parsed;
  return (parsed as BatchFacts["standings"]).map(({ wallet, ...it }) => ({
    wallet,
    isBlocked: Boolean(it.isBlocked),
    isAllowed: Boolean(it.isAllowed),
    isInvited: Boolean(it.isInvited),
  }));
}
