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

const NOTHING: DrawnFacts = {
  keys: [],
  agents: [],
  addresses: [],
  origins: [],
  tickers: [],
  standings: [],
  invites: [],
  images: [],
  places: null,
  spentLamports: 0n,
  reserved: 0,
  depth: 0,
  paidByAgents: 0,
  drawn: [],
};

type Name = keyof DrawnFacts;

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
  const questions = questionsOf(requests, limits);
  const lists = (Object.keys(questions) as (keyof typeof questions)[]).filter(
    (name) => questions[name].length > 0,
  );
  const names: Name[] = lists;
  if (Number.isFinite(limits.maxPerHour)) names.push("places");
  if (limits.budget !== null) names.push("spentLamports", "reserved");
  if (isCounting) names.push("depth", "paidByAgents");
  if (isDrawing && session.engine === "postgres") names.push("drawn");
  const values: Record<string, string | number> = { requests: requests.length };
  for (const name of lists) values[name] = JSON.stringify(questions[name]);
  const stored = names.length === 0 ? {} : await session.get(statementOf(names), values);
  const facts = Object.entries(stored ?? {}).map(([name, fact]) => [name, read(name, fact)]);
  return { ...NOTHING, ...Object.fromEntries(facts) };
}

/** SQLite has texts for the lists that PostgreSQL's driver has parsed. */
function read(name: string, fact: unknown): unknown {
  if (name === "spentLamports") return BigInt(fact as string);
  return typeof fact === "string" ? JSON.parse(fact) : fact;
}

/** What a batch asks about, by the fact that answers it; nothing if no limit asks. */
function questionsOf(requests: readonly BatchRequest[], limits: IntakeLimits) {
  const isQueueLimited = Number.isFinite(limits.maxPending) || limits.budget !== null;
  const addresses = requests.flatMap(({ address, now }) =>
    address === null ? [] : [{ address, network: networkOf(address), day: utcDay(now) }],
  );
  return {
    keys: requests.filter(({ key }) => key !== null).map(({ wallet, key }) => ({ wallet, key })),
    agents: Number.isFinite(limits.maxOfAgent)
      ? requests.map(({ wallet, now }) => ({ wallet, day: startOfUtcDay(now) }))
      : [],
    addresses: Number.isFinite(limits.maxOfAddress) ? addresses : [],
    origins: isQueueLimited ? addresses : [],
    tickers: requests.map(({ ticker }) => ticker).filter((ticker) => ticker !== null),
    standings: requests.map(({ wallet }) => wallet),
    invites: requests.map(({ inviteHash }) => inviteHash).filter((hash) => hash !== null),
    images: requests.map(({ imageHash }) => imageHash).filter((hash) => hash !== null),
  };
}

/** By the names of the facts: what is not asked takes no time. */
const statements = new Map<string, Statement<Record<string, unknown>>>();

function statementOf(names: readonly Name[]): Statement<Record<string, unknown>> {
  const key = names.join();
  const known = statements.get(key);
  if (known) return known;
  const made: Statement<Record<string, unknown>> = (dialect) => {
    const facts = names.map((name) => sql`${FACTS[name](dialect)} as ${sql.identifier(name)}`);
    return sql`with clock as materialized (select ${dialect.today} as day)
      select ${sql.join(facts, sql`, `)}`;
  };
  statements.set(key, made);
  return made;
}

/** One reading for all facts. */
const TODAY = sql`(select day from clock)`;

const asked = ({ json }: Dialect, name: Name) =>
  sql`${json.each}(${sql.placeholder(name)}) as asked`;
const field = (name: string) => sql.raw(`(asked.value ->> '${name}')`);
/** The elements of a list of texts. */
const texts = (dialect: Dialect, name: Name) =>
  sql`(select ${sql.raw(dialect.engine === "postgres" ? "asked.value #>> '{}'" : "asked.value")}
    from ${asked(dialect, name)})`;

const FACTS: Record<Name, (dialect: Dialect) => SQL> = {
  keys: (dialect) => {
    const rows = sql`select launches.wallet, idempotency_key as key, event_id as "eventId",
        request_hash as "requestHash"
      from ${asked(dialect, "keys")} join launches
        on launches.wallet = ${field("wallet")} and idempotency_key = ${field("key")}`;
    return list(dialect, "wallet key eventId requestHash", rows);
  },
  agents: (dialect) => {
    const rows = sql`select wallet, day,
        (select count(*) from launches where launches.wallet = agent.wallet
          and status in ('pending', 'success', 'failed', 'rate_limited') and created_at >= agent.day
          and created_at < agent.day + ${sql.raw(`${DAY_MS}`)}) as launches
      from (select distinct ${field("wallet")} as wallet, cast(${field("day")} as bigint) as day
        from ${asked(dialect, "agents")}) as agent`;
    return list(dialect, "wallet day launches", rows);
  },
  addresses: (dialect) => {
    const rows = sql`select address, address_launches.day, launches
      from ${asked(dialect, "addresses")} join address_launches
        on address = ${field("address")} and address_launches.day = ${field("day")}`;
    return list(dialect, "address day launches", rows);
  },
  origins: (dialect) => {
    const rows = sql`select coalesce(address, network) as origin,
        (select count(*) from launches
          where status = 'pending' and launches.network = origins.network
            and (origins.address is null or launches.address = origins.address)) as pending,
        (select count(*) from launches
          where status = 'pending' and payer is not null and launches.network = origins.network
            and (origins.address is null or launches.address = origins.address)) as "paidByAgents",
        coalesce((select launched from address_launches where day = ${TODAY}
          and address_launches.address = coalesce(origins.address, network)), 0) as launched
      from (select ${field("network")} as network, ${field("address")} as address
        from ${asked(dialect, "origins")}
        union select ${field("network")}, null from ${asked(dialect, "origins")}) as origins`;
    return list(dialect, "origin pending paidByAgents launched", rows);
  },
  tickers: (dialect) => {
    const rows = sql`select ticker, event_id as "eventId", wallet, status,
        case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"
      from launches where ticker in ${texts(dialect, "tickers")} and ticker_released = 0`;
    return list(dialect, "ticker eventId wallet status endedAt", rows);
  },
  standings: (dialect) => {
    const rows = sql`select wallet, ${STANDING} from agent_rules
      where wallet in ${texts(dialect, "standings")}`;
    return list(dialect, "wallet isBlocked isAllowed isInvited", rows);
  },
  invites: (dialect) => {
    const rows = sql`select code_hash as "codeHash", max_uses - uses as "left" from invites
      where code_hash in ${texts(dialect, "invites")} and uses < max_uses
        and revoked_at is null and (expires_at is null or expires_at > ${dialect.now})`;
    return list(dialect, "codeHash left", rows);
  },
  images: (dialect) => {
    const rows = sql`select hash from images where hash in ${texts(dialect, "images")}
      order by hash ${dialect.locking("for key share")}`;
    return list(dialect, "hash", rows);
  },
  places: (dialect) => {
    const rows = sql`select wallet, address, network from launches where status = 'pending'
      union select wallet, address, network from launch_starts
        where started_at > ${dialect.now} - ${HOUR_MS}`;
    return list(dialect, "wallet address network", rows);
  },
  spentLamports: () =>
    sql`cast(coalesce((select lamports from spending where day = ${TODAY}), 0) as text)`,
  reserved: () => sql`(select count(*) from launches where status = 'pending'
    and reserved_lamports is not null and reserved_day = ${TODAY})`,
  depth: () => sql`(select count(*) from launches where status = 'pending')`,
  paidByAgents: () =>
    sql`(select count(*) from launches where status = 'pending' and payer is not null)`,
  drawn: () => sql`(select coalesce(json_agg(nextval('launches_seq_seq')), '[]')
    from generate_series(1, cast(${sql.placeholder("requests")} as int)))`,
};

/** The rows of a query as a list in JSON. */
function list({ json }: Dialect, columns: string, rows: SQL): SQL {
  const fields = columns.split(" ").map((name) => `'${name}', "${name}"`);
  return sql`(select coalesce(${json.list}(${json.object}(${sql.raw(fields.join(", "))})), '[]')
    from (${rows}) as fact)`;
}
