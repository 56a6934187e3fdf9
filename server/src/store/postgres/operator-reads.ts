import type { LaunchStatusName } from "@tokenctl/shared/types";
import { and, desc, eq, gte, inArray, isNull } from "drizzle-orm";
import {
  type AgentReport,
  LAUNCHES_LOOKED_AT,
  type LaunchFilter,
  type LaunchReport,
  type LaunchSignature,
} from "../operator-store.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { launchAttempts, launches } from "./schema.ts";

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

const AGENTS: Statement = {
  name: "report_agents",
  text: `with latest as (
      select wallet, status, created_at from launches order by seq desc limit ${LAUNCHES_LOOKED_AT}),
    found as (
      select wallet, count(*) as launches, count(*) filter (where status = 'pending') as pending,
        count(*) filter (where status = 'success') as tokens, max(created_at) as last
      from latest group by wallet order by last desc, wallet limit $1),
    every as (
      select * from found
      union all select wallet, 0, 0, 0, null from unnest($2::text[]) as ruled (wallet)
      where wallet not in (select wallet from found))
    select wallet, launches, pending, tokens, last as "lastLaunchAt",
      blocked_at is not null as "isBlocked", allowed_at is not null as "isAllowed",
      invited_at is not null as "isInvited"
    from every left join agent_rules using (wallet)
    order by last desc nulls last, wallet collate "C"`,
};

const ACCEPTED: Statement = {
  name: "report_accepted",
  text: `select status, count(*) as n from (
      select status, created_at from launches order by seq desc limit ${LAUNCHES_LOOKED_AT}) as latest
    where created_at >= $1 group by status`,
};

/** What the operator reads about launches. */
export class OperatorReads {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  launches(filter: LaunchFilter): Promise<LaunchReport[]> {
    const { status, wallet, address, network, since, isUnsigned, limit } = filter;
    return this.#db.read(({ orm }) =>
      orm
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
        .limit(limit),
    );
  }

  async launch(
    eventId: string,
  ): Promise<(LaunchReport & { transactions: LaunchSignature[] }) | null> {
    return await this.#db.read(async ({ orm }) => {
      const [launch] = await orm
        .select(REPORTED)
        .from(launches)
        .where(eq(launches.eventId, eventId));
      if (!launch) return null;
      const transactions = await orm
        .select({ signature: launchAttempts.signature, signedAt: launchAttempts.signedAt })
        .from(launchAttempts)
        .where(eq(launchAttempts.eventId, eventId))
        .orderBy(launchAttempts.id);
      return { ...launch, transactions };
    });
  }

  async signedForLaunches(signatures: readonly string[]): Promise<string[]> {
    const found = await this.#db.read(({ orm }) => {
      const latest = orm
        .select({ signature: launchAttempts.signature })
        .from(launchAttempts)
        .orderBy(desc(launchAttempts.id))
        .limit(LAUNCHES_LOOKED_AT)
        .as("latest");
      return orm.select().from(latest).where(inArray(latest.signature, signatures));
    });
    return found.map(({ signature }) => signature);
  }

  /** @param others wallets that are listed in any case */
  agents(limit: number, others: readonly string[]): Promise<AgentReport[]> {
    return this.#db.read((session) => session.rows<AgentReport>(AGENTS, limit, [...others]));
  }

  async acceptedSince(since: number): Promise<Record<LaunchStatusName, number>> {
    const rows = await this.#db.read((session) =>
      session.rows<{ status: LaunchStatusName; n: number }>(ACCEPTED, since),
    );
    const counts = { pending: 0, success: 0, failed: 0, rate_limited: 0 };
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }
}
