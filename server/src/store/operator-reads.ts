import type { LaunchStatusName } from "@tokenctl/shared/types";
import { and, desc, eq, gte, inArray, isNull, sql } from "drizzle-orm";
import { type Standing, UNKNOWN_WALLET } from "../domain/intake.ts";
import type { Session, Statement } from "./database.ts";
import { launchAttempts, launches } from "./schema.ts";

/** A launch as the operator sees it. */
export interface LaunchReport {
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly name: string;
  readonly status: LaunchStatusName;
  readonly createdAt: number;
  readonly processedAt: number | null;
  /** The network address that it came from; null if it has ended, or counts for none. */
  readonly address: string | null;
  /** How often it was leased. */
  readonly attempts: number;
  /** Why it ended without a token. */
  readonly error: string | null;
  /** What it waits for, or waited for last, and since when; null if it was never leased. */
  readonly waitingFor: string | null;
  readonly waitingSince: number | null;
  /** Of the latest transaction. */
  readonly signature: string | null;
  readonly tokenMint: string | null;
  readonly poolAddress: string | null;
}

/** The signature of a transaction that was signed for a launch. */
export interface LaunchSignature {
  readonly signature: string;
  readonly signedAt: number;
}

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

/** See `Operator.launches`. */
export async function readLaunches(
  { orm }: Session,
  { status, wallet, address, network, since, isUnsigned, limit }: LaunchFilter,
): Promise<LaunchReport[]> {
  return await orm
    .select(REPORTED)
    .from(launches)
    .where(
      and(
        status === null ? undefined : eq(launches.status, status),
        wallet === null ? undefined : eq(launches.wallet, wallet),
        address === null ? undefined : eq(launches.address, address),
        network === null ? undefined : eq(launches.network, network),
        since === null ? undefined : gte(launches.createdAt, since),
        isUnsigned ? isNull(launches.signature) : undefined,
      ),
    )
    .orderBy(desc(launches.seq))
    .limit(limit);
}

/** See `Operator.launch`. */
export async function readLaunch(
  { orm }: Session,
  eventId: string,
): Promise<(LaunchReport & { readonly transactions: readonly LaunchSignature[] }) | null> {
  const [launch] = await orm.select(REPORTED).from(launches).where(eq(launches.eventId, eventId));
  if (!launch) return null;
  const transactions = await orm
    .select({ signature: launchAttempts.signature, signedAt: launchAttempts.signedAt })
    .from(launchAttempts)
    .where(eq(launchAttempts.eventId, eventId))
    .orderBy(launchAttempts.id);
  return { ...launch, transactions };
}

/** See `Operator.signedForLaunches`. */
export async function readSigned(
  { orm }: Session,
  signatures: readonly string[],
): Promise<readonly string[]> {
  const latest = orm
    .select({ signature: launchAttempts.signature })
    .from(launchAttempts)
    .orderBy(desc(launchAttempts.id))
    .limit(LAUNCHES_LOOKED_AT)
    .as("latest");
  const found = await orm.select().from(latest).where(inArray(latest.signature, signatures));
  return found.map(({ signature }) => signature);
}

export const STANDING = sql`blocked_at is not null as "isBlocked", allowed_at is not null as "isAllowed",
  invited_at is not null as "isInvited"`;

/** See `Operator.agents`. */
export async function readAgents(session: Session, limit: number): Promise<AgentReport[]> {
  const latest = await session.all<AgentReport>(sql`
    select wallet, launches, pending, tokens, last as "lastLaunchAt", ${STANDING}
    from (
      select wallet, count(*) as launches, count(*) filter (where status = 'pending') as pending,
        count(*) filter (where status = 'success') as tokens, max(created_at) as last
      from (select wallet, status, created_at from launches
        order by seq desc limit ${LAUNCHES_LOOKED_AT}) as latest
      group by wallet order by last desc, wallet limit ${limit}) as found
    left join agent_rules using (wallet)`);
  const ruled = await session.all<Standing & { wallet: string }>(
    sql`select wallet, ${STANDING} from agent_rules
      where blocked_at is not null or allowed_at is not null limit ${limit}`,
  );
  const known = new Set(latest.map(({ wallet }) => wallet));
  const none = { launches: 0, pending: 0, tokens: 0, lastLaunchAt: null };
  const rest = ruled.filter(({ wallet }) => !known.has(wallet));
  return [...latest, ...rest.map((rules) => ({ ...none, ...rules }))]
    .map((agent) => ({ ...agent, ...standingOf(agent) }))
    .sort(
      (a, b) => (b.lastLaunchAt ?? 0) - (a.lastLaunchAt ?? 0) || (a.wallet < b.wallet ? -1 : 1),
    );
}

const STANDING_OF: Statement<Standing> = () =>
  sql`select ${STANDING} from agent_rules where wallet = ${sql.placeholder("wallet")}`;

/** See `Operator.standing`. */
export async function readStanding(session: Session, wallet: string): Promise<Standing> {
  return standingOf((await session.get(STANDING_OF, { wallet })) ?? UNKNOWN_WALLET);
}

/** SQLite has numbers for these. */
function standingOf({ isBlocked, isAllowed, isInvited }: Standing): Standing {
  return {
    isBlocked: Boolean(isBlocked),
    isAllowed: Boolean(isAllowed),
    isInvited: Boolean(isInvited),
  };
}

/** See `Operator.acceptedSince`. */
export async function countAccepted(
  session: Session,
  since: number,
): Promise<Record<LaunchStatusName, number>> {
  const rows = await session.all<{ status: LaunchStatusName; n: number }>(
    sql`select status, count(*) as n from (
        select status, created_at from launches order by seq desc limit ${LAUNCHES_LOOKED_AT})
        as latest
      where created_at >= ${since} group by status`,
  );
  const counts = { pending: 0, success: 0, failed: 0, rate_limited: 0 };
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}
