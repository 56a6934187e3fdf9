import type { LaunchStatusName } from "@tokenctl/shared/types";
import { desc, eq, inArray, sql } from "drizzle-orm";
import {
  type AgentReport,
  LAUNCHES_LOOKED_AT,
  type LaunchFilter,
  type LaunchReport,
  type LaunchSignature,
} from "../operator-store.ts";
import { launchAttempts, launches } from "../schema.ts";
import type { Database } from "./database.ts";

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

type Counts = Omit<AgentReport, "isBlocked" | "isAllowed" | "isInvited">;

/** What the operator reads about launches. */
export class OperatorReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  launches(filter: LaunchFilter): LaunchReport[] {
    const { status, wallet, address, network, since, isUnsigned, limit } = filter;
    return this.#db
      .select(REPORTED)
      .from(launches)
      .where(
        sql`(${status} is null or status = ${status}) and (${wallet} is null or wallet = ${wallet})
          and (${address} is null or address = ${address})
          and (${network} is null or network = ${network})
          and (${since} is null or created_at >= ${since})
          and (${!isUnsigned} or signature is null)`,
      )
      .orderBy(sql`rowid desc`)
      .limit(limit)
      .all();
  }

  launch(eventId: string): (LaunchReport & { transactions: LaunchSignature[] }) | null {
    const launch = this.#db
      .select(REPORTED)
      .from(launches)
      .where(eq(launches.eventId, eventId))
      .get();
    if (!launch) return null;
    const transactions = this.#db
      .select({ signature: launchAttempts.signature, signedAt: launchAttempts.signedAt })
      .from(launchAttempts)
      .where(eq(launchAttempts.eventId, eventId))
      .orderBy(launchAttempts.id)
      .all();
    return { ...launch, transactions };
  }

  signedForLaunches(signatures: readonly string[]): string[] {
    const latest = this.#db
      .select({ signature: launchAttempts.signature })
      .from(launchAttempts)
      .orderBy(desc(launchAttempts.id))
      .limit(LAUNCHES_LOOKED_AT)
      .as("latest");
    const found = this.#db.select().from(latest).where(inArray(latest.signature, signatures)).all();
    return found.map(({ signature }) => signature);
  }

  /** @param others wallets that are listed in any case */
  agents(limit: number, others: readonly string[]): Counts[] {
    const latest = this.#db
      .select({ wallet: launches.wallet, status: launches.status, createdAt: launches.createdAt })
      .from(launches)
      .orderBy(desc(sql`rowid`))
      .limit(LAUNCHES_LOOKED_AT)
      .as("latest");
    const found = this.#db
      .select({
        wallet: latest.wallet,
        launches: sql<number>`count(*)`,
        pending: sql<number>`sum(${latest.status} = 'pending')`,
        tokens: sql<number>`sum(${latest.status} = 'success')`,
        lastLaunchAt: sql<number>`max(${latest.createdAt})`,
      })
      .from(latest)
      .groupBy(latest.wallet)
      .orderBy(desc(sql`max(${latest.createdAt})`), latest.wallet)
      .limit(limit)
      .all();
    const known = new Set(found.map(({ wallet }) => wallet));
    const none = { launches: 0, pending: 0, tokens: 0, lastLaunchAt: null };
    const rest = others.filter((wallet) => !known.has(wallet)).sort();
    return [...found, ...rest.map((wallet) => ({ wallet, ...none }))];
  }

  acceptedSince(since: number): Record<LaunchStatusName, number> {
    const rows = this.#db.$client
      .query<{ status: LaunchStatusName; n: number }, [number]>(
        `select status, count(*) as n from (
           select status, created_at from launches order by rowid desc limit ${LAUNCHES_LOOKED_AT})
         where created_at >= ? group by status`,
      )
      .all(since);
    const counts = { pending: 0, success: 0, failed: 0, rate_limited: 0 };
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }
}
