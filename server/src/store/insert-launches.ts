import { sql } from "drizzle-orm";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Statement, Transaction } from "./database.ts";
import type { BatchRequest, IntakeBatch } from "./intake-batch.ts";
import type { DrawnFacts } from "./intake-facts.ts";
import { SERVICE_TIME } from "./launch-queue.ts";
import type { InsertOutcome, NewLaunch } from "./new-launch.ts";
import { inviteHash, redeem } from "./operator.ts";
import { launches } from "./schema.ts";

/** A ticker to be taken from a launch that ended at `endedBy` or before. */
interface Released {
  readonly ticker: string;
  readonly endedBy: number;
}

/** What was decided about new launches, and what is written for those that are accepted. */
export class InsertDecision {
  readonly outcomes: readonly InsertOutcome[];
  readonly #rows: Row[] = [];
  readonly #redeemed: { readonly wallet: string; readonly codeHash: string }[] = [];
  readonly #released: Released[] = [];

  /** @param requests the launches as the limits see them, in the same order */
  constructor(
    launches: readonly NewLaunch[],
    requests: readonly BatchRequest[],
    { batch, facts, limits }: InsertTerms,
  ) {
    const known = new Map(facts.keys.map((it) => [keyOf(it.wallet, it.key), it]));
    const images = new Set(facts.images.map(({ hash }) => hash));
    this.outcomes = launches.map((launch, index): InsertOutcome => {
      const { wallet, ticker, eventId, idempotency } = launch;
      const id = idempotency && keyOf(wallet, idempotency.key);
      const same = id === null ? undefined : known.get(id);
      if (same && idempotency) {
        return same.requestHash === idempotency.requestHash
          ? { kind: "replayed", eventId: same.eventId }
          : { kind: "key_reused" };
      }
      if (launch.imageHash !== null && !images.has(launch.imageHash)) return { kind: "image_gone" };
      const request = requests[index] as BatchRequest;
      const refusal = batch.refusal(request);
      if (refusal !== null) return { kind: refusal };
      const { redeems, releases } = batch.accept(request);
      if (redeems) this.#redeemed.push({ wallet, codeHash: request.inviteHash ?? "" });
      if (releases) this.#released.push({ ticker, endedBy: request.now - limits.tickerHoldMs });
      if (id !== null && idempotency) known.set(id, { wallet, eventId, ...idempotency });
      this.#rows.push(rowOf(launch, facts.drawn[index] ?? null, limits));
      return { kind: "stored", eventId };
    });
  }

  /** @returns whether all of it was written; if not, another server was faster */
  async write(transaction: Transaction): Promise<boolean> {
    for (const one of this.#released.toSorted(by(({ ticker }) => ticker))) {
      await release(transaction, one);
    }
    for (const { wallet, codeHash } of this.#redeemed.toSorted(
      by((it) => it.codeHash + it.wallet),
    )) {
      if ((await redeem(transaction, wallet, codeHash)) !== "redeemed") return false;
    }
    return (await store(transaction, this.#rows)) === this.#rows.length;
  }
}

interface InsertTerms {
  readonly batch: IntakeBatch;
  readonly facts: DrawnFacts;
  readonly limits: Pick<IntakeLimits, "tickerHoldMs" | "signWithinMs">;
}

export function requestOf(launch: NewLaunch): BatchRequest {
  const { eventId, wallet, ticker, address, createdAt, inviteCode = null, objection } = launch;
  return {
    eventId,
    wallet,
    ticker,
    address,
    now: createdAt,
    isRetry: false,
    inviteHash: inviteCode === null ? null : inviteHash(inviteCode),
    objections: objection ? [objection] : [],
    isPaidByAgent: launch.payer === "agent",
    key: launch.idempotency?.key ?? null,
    imageHash: launch.imageHash,
  };
}

/** Takes a ticker from the launch that ended without a token early enough. */
export async function release(
  transaction: Transaction,
  { ticker, endedBy }: Released,
): Promise<void> {
  await transaction.run(sql`update launches set ticker_released = 1
    where ticker = ${ticker} and ticker_released = 0
      and status in ('failed', 'rate_limited') and processed_at <= ${endedBy}`);
}

const FIELDS = [
  "seq",
  "eventId",
  "wallet",
  "name",
  "onChainName",
  "ticker",
  "description",
  "imageUrl",
  "imageHash",
  "website",
  "twitter",
  "telegram",
  "createdAt",
  "address",
  "network",
  "idempotencyKey",
  "requestHash",
  "payer",
  "firstBuyLamports",
  "firstBuyUnits",
  "signBy",
  "waitingFor",
  "waitingSince",
] as const satisfies (keyof typeof launches)[];

type Row = Readonly<Record<(typeof FIELDS)[number], string | number | null>>;

function rowOf(
  { onChainName = null, address, idempotency, payer, firstBuy, ...launch }: NewLaunch,
  seq: number | null,
  { signWithinMs }: InsertTerms["limits"],
): Row {
  const isUnsigned = payer === "agent";
  return {
    ...launch,
    payer: isUnsigned ? payer : null,
    firstBuyLamports: firstBuy ? Number(firstBuy.lamports) : null,
    firstBuyUnits: firstBuy ? Number(firstBuy.minUnits) : null,
    signBy: isUnsigned ? launch.createdAt + signWithinMs : null,
    waitingFor: isUnsigned ? "agent_signature" : null,
    waitingSince: isUnsigned ? launch.createdAt : null,
    seq,
    onChainName,
    address,
    network: address === null ? null : networkOf(address),
    idempotencyKey: idempotency?.key ?? null,
    requestHash: idempotency?.requestHash ?? null,
  };
}

// One statement for the batch on PostgreSQL, where each takes an answer of its machine. On SQLite a row by
// itself takes 18 µs, and one of a list in JSON 35 µs.

const NAMES = sql.raw(FIELDS.map((field) => launches[field].name).join(", "));
const INTO = sql`insert into launches (${NAMES}, run_at, queued_at)`;
const value = sql.placeholder;

const STORE_ONE: Statement<unknown> = () => sql`${INTO} values (
  ${sql.join(FIELDS.map(value), sql`, `)}, ${value("createdAt")}, ${SERVICE_TIME})`;

// In the order of tickers, so that two servers do not wait for each other's. A launch is due at once even if
// the clock of the server that created it is ahead.
const STORE_ALL: Statement<unknown> = ({ now }) => sql`${INTO}
  select launch.*, least(created_at, ${now}), ${SERVICE_TIME} from unnest(${sql.join(
    FIELDS.map((field) => {
      const type = launches[field].getSQLType() === "integer" ? "bigint[]" : "text[]";
      return sql`cast(${value(field)} as ${sql.raw(type)})`;
    }),
    sql`, `,
  )}) as launch (${NAMES})
  order by ticker on conflict do nothing`;

/** @returns how many were stored */
async function store(transaction: Transaction, rows: readonly Row[]): Promise<number> {
  if (transaction.engine === "postgres") {
    const columns = FIELDS.map((field) => [field, rows.map((row) => row[field])] as const);
    return await transaction.run(STORE_ALL, Object.fromEntries(columns));
  }
  for (const row of rows) await transaction.run(STORE_ONE, row);
  return rows.length;
}

const keyOf = (wallet: string, key: string) => `${wallet} ${key}`;

function by<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}
