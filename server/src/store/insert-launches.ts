import { sql } from "drizzle-orm";
import { networkOf } from "../domain/shares.ts";
import { kindOf, POSTGRES_TYPES, type Statement, type Transaction } from "./database.ts";
import type { IntakeBatch } from "./intake-batch.ts";
import type { BatchFacts, BatchRequest } from "./intake-facts.ts";
import { SERVICE_TIME } from "./launch-queue.ts";
import type { InsertOutcome, NewLaunch } from "./launch-row.ts";
import { inviteHash } from "./operator.ts";
import { launches } from "./schema.ts";

export function requestOf(launch: NewLaunch): BatchRequest {
  const { createdAt, inviteCode, objection, payer } = launch;
  return {
    ...launch,
    now: createdAt,
    isRetry: false,
    isCounted: true,
    inviteHash: inviteCode == null ? null : inviteHash(inviteCode),
    objections: objection ? [objection] : [],
    isPaidByAgent: payer === "agent",
  };
}

/** Decides on launches, whose requests come in the same order. */
export function decideInserts(
  launches: readonly NewLaunch[],
  requests: readonly BatchRequest[],
  { facts, batch }: { readonly facts: BatchFacts; readonly batch: IntakeBatch },
): InsertOutcome[] {
  const known = new Map(facts.known.map((it) => [it.eventId, it.requestHash]));
  const images = new Set(facts.images.map(({ hash }) => hash));
  return launches.map(({ eventId, requestHash, imageHash }, index) => {
    const knownHash = known.get(eventId);
    if (knownHash !== undefined) {
      return knownHash === requestHash ? { kind: "replayed", eventId } : { kind: "key_reused" };
    }
    if (imageHash !== null && !images.has(imageHash)) return { kind: "image_gone" };
    const refusal = batch.decide(requests[index] as BatchRequest);
    if (refusal !== null) return { kind: refusal };
    if (requestHash !== null) known.set(eventId, requestHash);
    return { kind: "stored", eventId };
  });
}

/** What a new launch stores beside what all have; see `rowOf`. */
const FIELDS =
  `seq eventId wallet name onChainName ticker description imageUrl imageHash website twitter
  telegram createdAt address network requestHash payer firstBuyLamports firstBuyUnits
  signBy waitingFor waitingSince`.split(/\s+/) as (keyof typeof launches.$inferInsert)[];

export type Row = Readonly<Record<string, string | number | null>>;

/** @param terms its number, and how long its agent has to sign it if it pays */
export function rowOf(
  { onChainName = null, payer, firstBuy, ...launch }: NewLaunch,
  { seq, signWithinMs }: { readonly seq: number | null; readonly signWithinMs: number },
): Row {
  const { inviteCode: _, objection: __, ...stored } = launch;
  const isUnsigned = payer === "agent";
  return {
    ...stored,
    seq,
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
      const type = POSTGRES_TYPES[kindOf(launches[field])];
      return sql`cast(${value(field)} as ${sql.raw(type)}[])`;
    }),
    sql`, `,
  )}) as launch (${NAMES})
  order by ticker on conflict do nothing`;

/** @returns how many were stored */
export async function storeRows(transaction: Transaction, rows: readonly Row[]): Promise<number> {
  if (transaction.engine === "postgres") {
    const columns = FIELDS.map((field) => [field, rows.map((row) => row[field] ?? null)] as const);
    return await transaction.run(STORE_ALL, Object.fromEntries(columns));
  }
  for (const row of rows) await transaction.run(STORE_ONE, row);
  return rows.length;
}
