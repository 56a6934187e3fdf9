import type { Database } from "bun:sqlite";
import type { LaunchStatusName } from "@tokenctl/shared/types";
import { type Clock, utcDay } from "../../../server/src/base/clock.ts";
import type { ModelChain, Transaction } from "./model-chain.ts";
import type { AcceptedLaunch, Promises } from "./promises.ts";

interface Row {
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly status: LaunchStatusName;
  readonly processedAt: number | null;
  readonly error: string | null;
  readonly tokenMint: string | null;
  readonly day: string | null;
  readonly leaseId: string | null;
  readonly token: string | null;
}

const ROWS = `
  select launches.event_id as eventId, launches.wallet, launches.ticker, status,
    processed_at as processedAt, error, launches.token_mint as tokenMint, day, lease_id as leaseId,
    tokens.token_mint as token
  from launches left join tokens on launch_seq = seq`;

const WITHOUT_TICKER =
  "select 1 from launches where ticker_released = 1 and status in ('pending', 'success')";

/** Checks what must hold in database and chain at every moment. @throws {Error} if it does not */
export function inspect(db: Database, chain: ModelChain, promises: Promises, clock: Clock): void {
  const rows = db.query(ROWS).all() as Row[];
  must(rows.length === promises.all.length, "as many launches as were accepted");
  const kept = rows.filter(({ status }) => status === "pending" || status === "success");
  must(isUnique(kept.map(({ ticker }) => ticker)), "a ticker for one launch only");
  must(
    db.query(WITHOUT_TICKER).get() === null,
    "a ticker for each launch that has or may get a token",
  );
  const byId = new Map(rows.map((row) => [row.eventId, row]));
  const byLaunch = Map.groupBy(chain.effective, ({ eventId }) => eventId);
  for (const launch of promises.all) {
    const row = byId.get(launch.eventId);
    if (!row) throw new Error(`${launch.ticker} is lost`);
    inspectState(row, byLaunch.get(row.eventId) ?? []);
    inspectChange(launch, row, rows, utcDay(clock.now()));
    launch.seen = row;
  }
  inspectDays(rows, chain);
}

function inspectState(row: Row, effective: readonly Transaction[]): void {
  const { ticker, status } = row;
  const isPending = status === "pending";
  const hasFailed = status === "failed" || status === "rate_limited";
  must(effective.length <= 1, `${ticker} has one transaction that can have effect`);
  must((row.processedAt === null) === isPending, `${ticker} has an end when it is ${status}`);
  must((row.error !== null) === hasFailed, `${ticker} says why when it is ${status}`);
  must(isPending || row.leaseId === null, `${ticker} has no lease once it has ended`);
  const [transaction] = effective;
  if (status === "success") {
    must(transaction?.outcome === "landed", `${ticker} is on chain if the database says so`);
    must(row.token === transaction.attempt.tokenMint, `${ticker} has the token that is on chain`);
    must(row.tokenMint === row.token, `${ticker} has one mint`);
  } else {
    must(row.token === null, `${ticker} has no token when it is ${status}`);
    must(isPending || !transaction, `${ticker} has nothing on its way when it is ${status}`);
  }
}

/** A launch that has ended does not change until its owner retries it. */
function inspectChange(
  launch: AcceptedLaunch,
  row: Row,
  rows: readonly Row[],
  today: string,
): void {
  const { ticker, wallet, seen } = launch;
  must(row.ticker === ticker && row.wallet === wallet, `${ticker} is its owner's`);
  if (seen !== null && seen.status !== "pending") {
    must(Bun.deepEquals(row, seen), `${ticker} stays as it ended`);
  } else if (row.status === "rate_limited") {
    const isUsedUp = rows.some(
      (other) => other.wallet === wallet && other.status === "success" && other.day === today,
    );
    must(isUsedUp, `${ticker} is limited because its agent's day is used up`);
  }
}

function inspectDays(rows: readonly Row[], chain: ModelChain): void {
  const recorded = rows.filter(({ status }) => status === "success");
  const landed = chain.effective.filter(({ outcome }) => outcome === "landed");
  for (const tokens of [recorded, landed]) {
    const days = tokens.map(({ wallet, day }) => `${wallet} ${day}`);
    must(isUnique(days), "an agent has one token of a day");
  }
}

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`This does not hold: ${what}`);
}
