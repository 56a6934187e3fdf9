import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, startOfUtcDay, utcDay } from "../base/utc-day.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Dialect, Session, Statement } from "./database.ts";
import type { BatchFacts, BatchRequest } from "./intake-batch.ts";
import { HOUR_MS } from "./new-launch.ts";
import { STANDING } from "./operator-reads.ts";

/** Whether the pending launches are counted, and whether each request gets a number. */
export interface FactsOptions {
  readonly isCounting: boolean;
  readonly isDrawing: boolean;
}

/** And numbers for the batch, in ascending order: none on SQLite, where one server draws them. */
export interface DrawnFacts extends BatchFacts {
  readonly drawn: readonly number[];
}

type Stored = Record<keyof DrawnFacts, unknown>;

/**
 * Reads what requests need to know, in one statement: on PostgreSQL each takes an answer of its machine,
 * and on SQLite 64 reads by key take ten times as long as one of 64 keys.
 */
export async function readFacts(
  session: Session,
  requests: readonly BatchRequest[],
  limits: IntakeLimits,
  { isCounting, isDrawing }: FactsOptions,
): Promise<DrawnFacts> {
  const stored = await session.get(FACTS, {
    ...questionsOf(requests, limits),
    isCounting,
    readsPlaces: Number.isFinite(limits.maxPerHour),
    drawn: isDrawing ? requests.length : 0,
  });
  if (!stored) throw new Error("the facts are one row");
  // SQLite has texts for what PostgreSQL's driver has parsed.
  const facts = Object.entries(stored).map(([name, fact]) => [
    name,
    typeof fact === "string" ? JSON.parse(fact) : fact,
  ]);
  return { ...Object.fromEntries(facts), spentLamports: BigInt(stored.spentLamports as string) };
}

/** What a batch asks about, each question a list in JSON; empty if no limit asks for it. */
function questionsOf(requests: readonly BatchRequest[], limits: IntakeLimits) {
  const isQueueLimited = Number.isFinite(limits.maxPending) || limits.budget !== null;
  const addresses = requests.flatMap(({ address, now }) =>
    address === null ? [] : [{ address, network: networkOf(address), day: utcDay(now) }],
  );
  const agents = requests.map(({ wallet, now }) => ({ wallet, day: startOfUtcDay(now) }));
  return {
    keys: JSON.stringify(
      requests.filter(({ key }) => key !== null).map(({ wallet, key }) => ({ wallet, key })),
    ),
    agents: JSON.stringify(Number.isFinite(limits.maxOfAgent) ? agents : []),
    addresses: JSON.stringify(Number.isFinite(limits.maxOfAddress) ? addresses : []),
    origins: JSON.stringify(isQueueLimited ? addresses : []),
    tickers: JSON.stringify(requests.flatMap(({ ticker }) => ticker ?? [])),
    wallets: JSON.stringify(requests.map(({ wallet }) => wallet)),
    invites: JSON.stringify(requests.flatMap(({ inviteHash }) => inviteHash ?? [])),
    images: JSON.stringify(requests.flatMap(({ imageHash }) => imageHash ?? [])),
  };
}

const value = sql.placeholder;

const FACTS: Statement<Stored> = (dialect) => {
  const { engine, now, today, json, locking } = dialect;
  const isPostgres = engine === "postgres";
  const asked = (name: string) => sql`${json.each}(${value(name)}) as asked`;
  const field = (name: string) => sql.raw(`(asked.value ->> '${name}')`);
  // An element that is a text itself.
  const text = sql.raw(isPostgres ? "(asked.value #>> '{}')" : "asked.value");
  const places = list(
    dialect,
    "wallet address network",
    sql`
    select wallet, address, network from launches where status = 'pending'
    union select wallet, address, network from launch_starts where started_at > ${now} - ${HOUR_MS}`,
  );
  return sql`select
  ${list(
    dialect,
    "wallet key eventId requestHash",
    sql`select launches.wallet,
      idempotency_key as key, event_id as "eventId", request_hash as "requestHash"
    from ${asked("keys")} join launches
      on launches.wallet = ${field("wallet")} and idempotency_key = ${field("key")}`,
  )} as keys,
  ${list(
    dialect,
    "wallet day launches",
    sql`select wallet, day,
      (select count(*) from launches where launches.wallet = agent.wallet
        and status in ('pending', 'success', 'failed', 'rate_limited')
        and created_at >= agent.day and created_at < agent.day + ${sql.raw(`${DAY_MS}`)}) as launches
    from (select distinct ${field("wallet")} as wallet, cast(${field("day")} as bigint) as day
      from ${asked("agents")}) as agent`,
  )} as agents,
  ${list(
    dialect,
    "address day launches",
    sql`select address, address_launches.day, launches
    from ${asked("addresses")} join address_launches
      on address = ${field("address")} and address_launches.day = ${field("day")}`,
  )} as addresses,
  ${list(
    dialect,
    "origin pending launched",
    sql`select coalesce(address, network) as origin,
      (select count(*) from launches where status = 'pending' and launches.network = origins.network
        and (origins.address is null or launches.address = origins.address)) as pending,
      coalesce((select launched from address_launches where day = ${today}
        and address_launches.address = coalesce(origins.address, network)), 0) as launched
    from (select ${field("network")} as network, ${field("address")} as address
      from ${asked("origins")}
      union select ${field("network")}, null from ${asked("origins")}) as origins`,
  )} as origins,
  ${list(
    dialect,
    "ticker eventId wallet status endedAt",
    sql`select ticker, event_id as "eventId",
      wallet, status, case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"
    from launches where ticker in (select ${text} from ${asked("tickers")})
      and ticker_released = 0`,
  )} as tickers,
  cast(coalesce((select lamports from spending where day = ${today}), 0) as text)
    as "spentLamports",
  (select count(*) from launches where status = 'pending'
    and reserved_lamports is not null and reserved_day = ${today}) as reserved,
  case when cast(${value("isCounting")} as boolean)
    then (select count(*) from launches where status = 'pending') else 0 end as depth,
  ${list(
    dialect,
    "wallet isBlocked isAllowed isInvited",
    sql`select wallet, ${STANDING}
    from agent_rules where wallet in (select ${text} from ${asked("wallets")})`,
  )} as standings,
  ${list(
    dialect,
    "codeHash left",
    sql`select code_hash as "codeHash", max_uses - uses as "left"
    from invites where code_hash in (select ${text} from ${asked("invites")})
      and uses < max_uses and revoked_at is null
      and (expires_at is null or expires_at > ${now})`,
  )} as invites,
  case when cast(${value("readsPlaces")} as boolean) then ${places} end as places,
  ${list(
    dialect,
    "hash",
    sql`select hash from images
    where hash in (select ${text} from ${asked("images")})
    order by hash ${locking("for key share")}`,
  )} as images,
  ${isPostgres ? DRAWN : sql`'[]'`} as drawn`;
};

const DRAWN = sql`(select coalesce(json_agg(nextval('launches_seq_seq')), '[]')
  from generate_series(1, cast(${value("drawn")} as int)))`;

/** The rows of a query as a list in JSON. */
function list({ json }: Dialect, columns: string, rows: SQL): SQL {
  const fields = columns.split(" ").map((name) => `'${name}', "${name}"`);
  return sql`(select coalesce(${json.list}(${json.object}(${sql.raw(fields.join(", "))})), '[]')
    from (${rows}) as fact)`;
}
