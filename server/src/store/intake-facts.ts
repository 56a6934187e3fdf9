import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS } from "../base/clock.ts";
import type { BatchFacts } from "../domain/intake.ts";
import type { Dialect, Statement } from "./database.ts";

export type FactName = keyof BatchFacts;

/** One reading of the clock for all facts. */
const TODAY = sql`(select day from clock)`;

const asked = ({ json }: Dialect, name: FactName) =>
  sql`${json.each}(${sql.placeholder(name)}) as asked`;
const field = (name: string) => sql.raw(`(asked.value ->> '${name}')`);
/** Selects the elements of a JSON list of strings. */
const texts = (dialect: Dialect, name: FactName) =>
  sql`(select ${sql.raw(dialect.engine === "postgres" ? "asked.value #>> '{}'" : "asked.value")}
    from ${asked(dialect, name)})`;

const COLUMNS: Partial<Record<FactName, string>> = {
  known: "eventId requestHash",
  agents: "wallet day launches",
  addresses: "address day launches",
  origins: "origin pending ofAgents launched",
  tickers: "ticker eventId wallet status endedAt",
  standings: "wallet isBlocked isAllowed isInvited",
  images: "hash",
  places: "wallet address network",
};

const FACTS: Record<FactName, (dialect: Dialect) => SQL> = {
  known: (dialect) => sql`select event_id as "eventId", request_hash as "requestHash" from launches
    where event_id in ${texts(dialect, "known")}`,
  agents: (dialect) => sql`select wallet, day,
      (select count(*) from launches where launches.wallet = agent.wallet
        and status in ('pending', 'success', 'failed', 'rate_limited') and created_at >= agent.start
        and created_at < agent.start + ${sql.raw(`${DAY_MS}`)})
      + coalesce((select counted.launches from daily_launches as counted
        where client = agent.wallet and counted.day = agent.day), 0) as launches
    from (select distinct ${field("wallet")} as wallet, ${field("day")} as day,
        cast(${field("start")} as bigint) as start
      from ${asked(dialect, "agents")}) as agent`,
  addresses: (dialect) => sql`select client as address, counted.day, launches
    from ${asked(dialect, "addresses")} join daily_launches as counted
      on client = ${field("address")} and counted.day = ${field("day")}`,
  origins: (dialect) => sql`select coalesce(address, network) as origin,
      (select count(*) from launches
        where status = 'pending' and payer is null and launches.network = origins.network
          and (origins.address is null or launches.address = origins.address)) as pending,
      (select count(*) from launches
        where status = 'pending' and payer is not null and launches.network = origins.network
          and (origins.address is null or launches.address = origins.address)) as "ofAgents",
      coalesce((select launched from daily_launches where day = ${TODAY}
        and client = coalesce(origins.address, network)), 0) as launched
    from (select ${field("network")} as network, ${field("address")} as address
      from ${asked(dialect, "origins")}
      union select ${field("network")}, null from ${asked(dialect, "origins")}) as origins`,
  tickers: (dialect) => sql`select ticker, event_id as "eventId", wallet, status,
      case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"
    from launches where ticker in ${texts(dialect, "tickers")} and ticker_released = 0`,
  standings: (dialect) => sql`select wallet, blocked_at is not null as "isBlocked",
      allowed_at is not null as "isAllowed", invited_at is not null as "isInvited"
    from agent_rules where wallet in ${texts(dialect, "standings")}`,
  images: (dialect) => sql`select hash from images where hash in ${texts(dialect, "images")}
    order by hash ${dialect.locking("for key share")}`,
  places: (dialect) => sql`select wallet, address, network from launches
      where status = 'pending' and payer is null
    union all select wallet, address, network from launch_starts
      where started_at between ${dialect.now} - ${HOUR_MS} + 1 and ${dialect.now} + ${HOUR_MS}`,
  spentLamports: () =>
    sql`cast(coalesce((select lamports from spending where day = ${TODAY}), 0) as text)`,
  reserved: () =>
    sql`(select count(*) from launches where status = 'pending' and reserved_day = ${TODAY})`,
  depth: () => sql`(select count(*) from launches where status = 'pending' and payer is null)`,
  ofAgents: () =>
    sql`(select count(*) from launches where status = 'pending' and sign_by is not null)`,
};

/** One statement: each is a round trip to PostgreSQL, and 64 take SQLite ten times as long. */
export function statementOf(names: readonly FactName[]): Statement<Record<string, unknown>> {
  return (dialect) => {
    const facts = names.map((name) => sql`${factOf(name, dialect)} as ${sql.identifier(name)}`);
    return sql`with clock as materialized (select ${dialect.today} as day)
      select ${sql.join(facts, sql`, `)}`;
  };
}

function factOf(name: FactName, dialect: Dialect): SQL {
  const fact = FACTS[name](dialect);
  const fields = COLUMNS[name]?.split(" ").map((column) => `'${column}', "${column}"`);
  if (!fields) return fact;
  const { json } = dialect;
  return sql`(select coalesce(${json.list}(${json.object}(${sql.raw(fields.join(", "))})), '[]')
    from (${fact}) as fact)`;
}
