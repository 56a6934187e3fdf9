import type { LaunchStatusName } from "@tokenctl/shared/types";
import { and, desc, eq, gte, inArray, isNull, type SQLWrapper, sql } from "drizzle-orm";
import { HOUR_MS } from "../base/utc-day.ts";
import { type Standing, UNKNOWN_WALLET } from "../domain/intake.ts";
import type { Database, Session, Statement } from "./database.ts";
import { launchAttempts, launches } from "./schema.ts";

/** A launch as the operator sees it. */
export type LaunchReport = Awaited<ReturnType<OperatorReads["launches"]>>[number];

/** The signature of a transaction that was signed for a launch. */
export type LaunchSignature = Pick<typeof launchAttempts.$inferSelect, "signature" | "signedAt">;

export interface LaunchFilter {
  readonly status: LaunchStatusName | null;
  readonly wallet: string | null;
  /** Where its request came from; a launch that has ended has neither. */
  readonly address: string | null;
  readonly network: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly since: number | null;
  /** Whether only those count that no transaction was signed for. */
  readonly isUnsigned: boolean;
  readonly limit: number;
}

/** An agent as the operator sees it; counts are of the launches that were looked at. */
export interface AgentReport extends Standing {
  readonly wallet: string;
  readonly launches: number;
  readonly pending: number;
  readonly tokens: number;
  /** Null if none of its launches was looked at. */
  readonly lastLaunchAt: number | null;
}

/** How many of the latest launches reports about many of them look at, so that requests need not wait. */
export const LAUNCHES_LOOKED_AT = 10_000;

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

const STANDING_OF: Statement<Standing> = () =>
  sql`select ${STANDING} from agent_rules where wallet = ${sql.placeholder("wallet")}`;

/** What the operator reads while the service runs. */
export class OperatorReads {
  constructor(protected readonly db: Database) {}

  standing(wallet: string): Promise<Standing> {
    return this.db.read((session) => readStanding(session, wallet));
  }

  /** Newest first. */
  launches(filter: LaunchFilter) {
    const { status, wallet, address, network, since, isUnsigned, limit } = filter;
    const is = (column: SQLWrapper, value: string | null) =>
      value === null ? undefined : eq(column, value);
    return this.db.read(({ orm }) =>
      orm
        .select(REPORTED)
        .from(launches)
        .where(
          and(
            is(launches.status, status),
            is(launches.wallet, wallet),
            is(launches.address, address),
            is(launches.network, network),
            since === null ? undefined : gte(launches.createdAt, since),
            isUnsigned ? isNull(launches.signature) : undefined,
          ),
        )
        .orderBy(desc(launches.seq))
        .limit(limit),
    );
  }

  launch(
    eventId: string,
  ): Promise<(LaunchReport & { readonly transactions: readonly LaunchSignature[] }) | null> {
    return this.db.read(async ({ orm }) => {
      const isIt = eq(launches.eventId, eventId);
      const [launch] = await orm
        .select({ ...REPORTED, seq: launches.seq, signedAt: launches.signedAt })
        .from(launches)
        .where(isIt);
      if (!launch) return null;
      const { seq, signedAt, ...report } = launch;
      const earlier = await orm
        .select({ signature: launchAttempts.signature, signedAt: launchAttempts.signedAt })
        .from(launchAttempts)
        .where(eq(launchAttempts.launchSeq, seq))
        .orderBy(launchAttempts.id);
      const { signature } = launch;
      const latest = signature === null || signedAt === null ? [] : [{ signature, signedAt }];
      return { ...report, transactions: [...earlier, ...latest] };
    });
  }

  /**
   * @param signatures transactions that landed lately, base58
   * @returns those of them that were signed for launches of this database, among the latest
   * {@link LAUNCHES_LOOKED_AT} that were
   */
  async signedForLaunches(signatures: readonly string[]): Promise<readonly string[]> {
    const latest = (table: string, key: string) =>
      sql`select signature from (select signature from ${sql.raw(table)}
        order by ${sql.raw(key)} desc limit ${LAUNCHES_LOOKED_AT}) as latest
        where ${inArray(sql`signature`, [...signatures])}`;
    const found = await this.db.read((session) =>
      session.all<{ signature: string }>(sql`
        ${latest("launches", "seq")} union ${latest("launch_attempts", "id")}`),
    );
    return found.map(({ signature }) => signature);
  }

  /** The agents of the latest launches, and those that the operator has decided about; latest first. */
  agents(limit: number): Promise<AgentReport[]> {
    return this.db.read(async (session) => {
      const latest = await session.all<AgentReport>(sql`
        select wallet, launches, pending, tokens, last as "lastLaunchAt", ${STANDING}
        from (
          select wallet, count(*) as launches, count(*) filter (where status = 'pending') as pending,
            count(*) filter (where status = 'success') as tokens, max(created_at) as last
          from (select wallet, status, created_at from launches
            order by seq desc limit ${LAUNCHES_LOOKED_AT}) as latest
          group by wallet order by last desc, wallet limit ${limit}) as found
        left join agent_rules using (wallet)`);
      const known = new Set(latest.map(({ wallet }) => wallet));
      const ruled = await session.all<AgentReport>(sql`
        select wallet, 0 as launches, 0 as pending, 0 as tokens, null as "lastLaunchAt", ${STANDING}
        from agent_rules where blocked_at is not null or allowed_at is not null limit ${limit}`);
      return [...latest, ...ruled.filter(({ wallet }) => !known.has(wallet))]
        .map((agent) => ({ ...agent, ...standingOf(agent) }))
        .sort(
          (a, b) => (b.lastLaunchAt ?? 0) - (a.lastLaunchAt ?? 0) || (a.wallet < b.wallet ? -1 : 1),
        );
    });
  }

  /** How many of the latest launches were accepted since this time, by their status now. */
  async acceptedSince(since: number): Promise<Readonly<Record<LaunchStatusName, number>>> {
    const rows = await this.db.read((session) =>
      session.all<{ status: LaunchStatusName; n: number }>(sql`
        select status, count(*) as n from (
          select status, created_at from launches order by seq desc limit ${LAUNCHES_LOOKED_AT})
          as latest
        where created_at >= ${since} group by status`),
    );
    const counts = { pending: 0, success: 0, failed: 0, rate_limited: 0 };
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }

  /** The same by the hour in which they were accepted, counted since the Unix epoch. */
  async acceptedByHour(since: number) {
    const rows = await this.db.read((session) =>
      session.all<{ hour: number; status: LaunchStatusName; n: number }>(sql`
        select created_at / ${HOUR_MS} as hour, status, count(*) as n from (
          select status, created_at from launches order by seq desc limit ${LAUNCHES_LOOKED_AT})
          as latest
        where created_at >= ${since} group by 1, status`),
    );
    const hours = new Map<number, Partial<Record<LaunchStatusName, number>>>();
    for (const { hour, status, n } of rows) {
      hours.set(Number(hour), { ...hours.get(Number(hour)), [status]: n });
    }
    return hours;
  }

  /** What the operator's wallets have collected, and what launches, migrations and collecting took; lamports. */
  async money() {
    const sum = (column: string) =>
      sql.raw(`(select cast(coalesce(sum(cast(${column} as bigint)), 0) as text)`);
    const row = await this.db.read((session) =>
      session.get<Record<"collected" | "launches" | "migrations" | "collecting", string>>(sql`select
        ${sum("paid_lamports")} from collections where status = 'confirmed') as collected,
        ${sum("fee_lamports")} from collections) as collecting,
        ${sum("reserved_lamports")} from launches where status = 'success') as launches,
        ${sum("reserved_lamports")} from pool_migrations where status = 'done') as migrations`),
    );
    const { collected = 0, launches = 0, migrations = 0, collecting = 0 } = row ?? {};
    return {
      collected: BigInt(collected),
      launches: BigInt(launches),
      migrations: BigInt(migrations),
      collecting: BigInt(collecting),
    };
  }
}

/** See `OperatorReads.standing`. */
export async function readStanding(session: Session, wallet: string): Promise<Standing> {
  return standingOf((await session.get(STANDING_OF, { wallet })) ?? UNKNOWN_WALLET);
}

/** SQLite has numbers for these. */
export function standingOf({ isBlocked, isAllowed, isInvited }: Standing): Standing {
  return {
    isBlocked: Boolean(isBlocked),
    isAllowed: Boolean(isAllowed),
    isInvited: Boolean(isInvited),
  };
}
