import type { LaunchStatusName, WaitingFor } from "@tokenctl/shared/types";
import { sql } from "drizzle-orm";
import type { LaunchWait } from "../domain/launch.ts";
import { type Database, lamportsOf, type Statement } from "./database.ts";
import type { LaunchRow, LaunchSummary, ListedLaunch } from "./launch-row.ts";
import { Spending } from "./spending.ts";
import { type Page, type PagePart, readPage } from "./tokens.ts";

/** Places are counted up to this one: an agent asks often, and each question counts. */
export const MAX_PLACE = 1_000;

type WaitColumns = Pick<LaunchRow, "waitingFor" | "waitingSince" | "runAt" | "leaseId">;
type Stored<Launch> = Omit<Launch, "wait" | "agentLamports"> &
  WaitColumns & { readonly agentLamports: string | null };

const SUMMARY = sql.raw(`event_id as "eventId", ticker, status, created_at as "createdAt",
  processed_at as "processedAt", error, token_mint as "tokenMint", pool_address as "poolAddress",
  waiting_for as "waitingFor", waiting_since as "waitingSince", run_at as "runAt",
  lease_id as "leaseId", payer, agent_lamports as "agentLamports"`);

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

export abstract class LaunchReads extends Spending {
  constructor(db: Database) {
    super(db, "launches");
  }

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
