import type { LaunchStatusName } from "@tokenctl/shared/types";
import { eq, type SQL, sql } from "drizzle-orm";
import { type Standing, UNKNOWN_WALLET } from "../domain/intake.ts";
import type { Database, Session } from "./database.ts";
import { launches } from "./schema.ts";

export type LaunchReport = Awaited<ReturnType<OperatorReads["launches"]>>[number];

/** A missing field does not filter. */
export interface LaunchFilter {
  readonly status?: LaunchStatusName | undefined;
  readonly wallet?: string | undefined;
  readonly network?: string | undefined;
  /** The latest time of acceptance, in milliseconds since the Unix epoch. */
  readonly until?: number | undefined;
  /** The latest time at which they were accepted or retried. */
  readonly queuedBy?: number | undefined;
}

const REPORTED = {
  eventId: launches.eventId,
  wallet: launches.wallet,
  ticker: launches.ticker,
  name: launches.name,
  status: launches.status,
  createdAt: launches.createdAt,
  processedAt: launches.processedAt,
  address: launches.address,
  attempts: launches.attempts,
  error: launches.error,
  waitingFor: launches.waitingFor,
  waitingSince: launches.waitingSince,
  signature: launches.signature,
  tokenMint: launches.tokenMint,
  poolAddress: launches.poolAddress,
};

export const STANDING = sql`blocked_at is not null as "isBlocked", allowed_at is not null as "isAllowed",
  invited_at is not null as "isInvited"`;

export class OperatorReads {
  constructor(protected readonly db: Database) {}

  /** Returns launches, newest first. */
  launches({
    limit,
    isUnsigned,
    ...filter
  }: LaunchFilter & { readonly limit: number; readonly isUnsigned: boolean }) {
    const which = sql`true ${isUnsigned ? sql`and signature is null` : sql.empty()} ${and(filter)}
      order by seq desc limit ${limit}`;
    return this.db.read(({ orm }) => orm.select(REPORTED).from(launches).where(which));
  }

  async launch(eventId: string): Promise<LaunchReport | null> {
    const [launch] = await this.db.read(({ orm }) =>
      orm.select(REPORTED).from(launches).where(eq(launches.eventId, eventId)),
    );
    return launch ?? null;
  }
}

/** Returns the SQL that adds a filter to a condition. */
export function and(filter: LaunchFilter): SQL {
  const { status, wallet, network, until, queuedBy } = filter;
  const conditions = [
    [sql`status =`, status],
    [sql`wallet =`, wallet],
    [sql`network =`, network],
    [sql`created_at <=`, until],
    [sql`queued_at <=`, queuedBy],
  ] as const;
  return sql.join(
    conditions.map(([is, value]) => (value === undefined ? sql`` : sql` and ${is} ${value}`)),
  );
}

export async function readStanding(session: Session, wallet: string): Promise<Standing> {
  const stored = await session.get<Standing>(
    sql`select ${STANDING} from agent_rules where wallet = ${wallet}`,
  );
  return standingOf(stored ?? UNKNOWN_WALLET);
}

/** Converts these fields to booleans: SQLite has numbers for them. */
export function standingOf({ isBlocked, isAllowed, isInvited }: Standing): Standing {
  return {
    isBlocked: Boolean(isBlocked),
    isAllowed: Boolean(isAllowed),
    isInvited: Boolean(isInvited),
  };
}
