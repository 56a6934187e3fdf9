import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, startOfUtcDay, utcDay } from "../base/utc-day.ts";
import type { HourPlace, TickerHolder } from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Dialect, Session, Statement } from "./database.ts";
import type { BatchFacts, BatchRequest } from "./intake-batch.ts";
import { HOUR_MS } from "./new-launch.ts";
import { readStanding, STANDING } from "./operator-reads.ts";
import { spentToday } from "./spending.ts";

/** Whether the pending launches are counted, and whether each request gets a number. */
export interface FactsOptions {
  readonly isCounting: boolean;
  readonly isDrawing: boolean;
}

/** And numbers for the batch, in ascending order: none on SQLite, where one server draws them. */
export interface DrawnFacts extends BatchFacts {
  readonly drawn: readonly number[];
}

const value = sql.placeholder;

const HOLDER_COLUMNS = sql.raw(`event_id as "eventId", wallet, status,
  case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"`);

/** The launch that has a ticker. */
export const HOLDER: Statement<TickerHolder> = () => sql`select ${HOLDER_COLUMNS} from launches
  where ticker = ${value("ticker")} and ticker_released = 0`;

/** Those that have a place in the hour that ends now. */
const places = ({ now }: Dialect) => sql<HourPlace>`
  select wallet, address, network from launches where status = 'pending'
  union select wallet, address, network from launch_starts where started_at > ${now} - ${HOUR_MS}`;

/** The pending launches that have set lamports aside today. */
const reservedToday = ({ today }: Dialect) => sql`(select count(*) from launches
  where status = 'pending' and reserved_lamports is not null and reserved_day = ${today})`;

const DEPTH = sql`(select count(*) from launches where status = 'pending')`;

const isRedeemable = ({ now }: Dialect) => sql`uses < max_uses and revoked_at is null
  and (expires_at is null or expires_at > ${now})`;

/** What a batch asks about, each once. */
function questionsOf(requests: readonly BatchRequest[], limits: IntakeLimits) {
  const withAddress = requests.flatMap(({ address, now }) =>
    address === null ? [] : [{ address, network: networkOf(address), day: utcDay(now) }],
  );
  const isQueueLimited = Number.isFinite(limits.maxPending) || limits.budget !== null;
  return {
    keys: requests.flatMap(({ wallet, key }) => (key === null ? [] : [{ wallet, key }])),
    agents: Number.isFinite(limits.maxOfAgent)
      ? distinct(requests.map(({ wallet, now }) => ({ wallet, day: startOfUtcDay(now) })))
      : [],
    addresses: Number.isFinite(limits.maxOfAddress)
      ? distinct(withAddress.map(({ address, day }) => ({ address, day })))
      : [],
    origins: isQueueLimited
      ? distinct(
          withAddress.flatMap(({ address, network }) => [
            { network, address },
            { network, address: null },
          ]),
        )
      : [],
    tickers: requests.flatMap(({ ticker }) => ticker ?? []),
    wallets: [...new Set(requests.map(({ wallet }) => wallet))],
    invites: [...new Set(requests.flatMap(({ inviteHash }) => inviteHash ?? []))],
    images: [...new Set(requests.flatMap(({ imageHash }) => imageHash ?? []))],
    readsPlaces: Number.isFinite(limits.maxPerHour),
    readsSpending: limits.budget !== null,
  };
}

type Questions = ReturnType<typeof questionsOf>;

function distinct<T>(facts: readonly T[]): T[] {
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}

/** Reads what requests need to know. */
export function readFacts(
  session: Session,
  requests: readonly BatchRequest[],
  limits: IntakeLimits,
  options: FactsOptions,
): Promise<DrawnFacts> {
  const questions = questionsOf(requests, limits);
  const drawn = options.isDrawing ? requests.length : 0;
  return session.engine === "postgres"
    ? readAtOnce(session, questions, drawn, options.isCounting)
    : readOneByOne(session, questions, options.isCounting);
}

// One statement on PostgreSQL: fifteen would take fifteen answers of its machine. On SQLite that statement
// takes longer than those of the few questions that a launch asks.

const list = (select: SQL) => sql`(select coalesce(json_agg(fact), '[]') from (${select}) as fact)`;
const texts = (name: string) => sql`cast(${value(name)} as text[])`;
const bigints = (name: string) => sql`cast(${value(name)} as bigint[])`;

const ALL_FACTS: Statement<DrawnFacts> = (dialect) => sql`select
  ${list(sql`select launches.wallet, launches.idempotency_key as key,
      launches.event_id as "eventId", launches.request_hash as "requestHash"
    from unnest(${texts("keyWallets")}, ${texts("keys")}) as asked (wallet, key)
    join launches on launches.wallet = asked.wallet and launches.idempotency_key = asked.key`)} as keys,
  ${list(sql`select wallet, day, (select count(*) from launches where launches.wallet = asked.wallet
      and created_at >= asked.day and created_at < asked.day + ${sql.raw(`${DAY_MS}`)}) as launches
    from unnest(${texts("agents")}, ${bigints("agentDays")}) as asked (wallet, day)`)} as agents,
  ${list(sql`select asked.address, asked.day, launches
    from unnest(${texts("addresses")}, ${texts("addressDays")}) as asked (address, day)
    join address_launches on address_launches.address = asked.address
      and address_launches.day = asked.day`)} as addresses,
  ${list(sql`select coalesce(address, network) as origin, (select count(*) from launches
      where status = 'pending' and launches.network = asked.network
        and (asked.address is null or launches.address = asked.address)) as pending,
      coalesce((select launched from address_launches where day = ${dialect.today}
        and address = coalesce(asked.address, asked.network)), 0) as launched
    from unnest(${texts("networks")}, ${texts("ofAddresses")}) as asked (network, address)`)} as origins,
  ${list(sql`select ticker, ${HOLDER_COLUMNS}
    from launches where ticker = any(${texts("tickers")}) and ticker_released = 0`)} as tickers,
  coalesce((select lamports from spending where day = ${dialect.today}), 0) as "spentLamports",
  ${reservedToday(dialect)} as reserved,
  case when cast(${value("isCounting")} as boolean) then ${DEPTH} else 0 end as depth,
  ${list(sql`select wallet, ${STANDING} from agent_rules
    where wallet = any(${texts("wallets")})`)} as standings,
  ${list(sql`select code_hash as "codeHash", max_uses - uses as "left" from invites
    where code_hash = any(${texts("invites")}) and ${isRedeemable(dialect)}`)} as invites,
  case when cast(${value("readsPlaces")} as boolean) then ${list(places(dialect))} end as places,
  (select coalesce(json_agg(hash), '[]') from (
    select hash from images where hash = any(${texts("images")}) order by hash for key share) as held)
    as images,
  (select coalesce(json_agg(nextval('launches_seq_seq')), '[]')
    from generate_series(1, cast(${value("drawn")} as int))) as drawn`;

async function readAtOnce(
  session: Session,
  questions: Questions,
  drawn: number,
  isCounting: boolean,
): Promise<DrawnFacts> {
  const { keys, agents, addresses, origins, tickers, wallets, invites, images } = questions;
  const facts = await session.get(ALL_FACTS, {
    keyWallets: keys.map(({ wallet }) => wallet),
    keys: keys.map(({ key }) => key),
    agents: agents.map(({ wallet }) => wallet),
    agentDays: agents.map(({ day }) => day),
    addresses: addresses.map(({ address }) => address),
    addressDays: addresses.map(({ day }) => day),
    networks: origins.map(({ network }) => network),
    ofAddresses: origins.map(({ address }) => address),
    ...{ tickers, wallets, invites, images, isCounting, drawn },
    readsPlaces: questions.readsPlaces,
  });
  if (!facts) throw new Error("the facts are one row");
  return facts;
}

const BY_KEY: Statement<{ eventId: string; requestHash: string }> = () =>
  sql`select event_id as "eventId", request_hash as "requestHash" from launches
    where wallet = ${value("wallet")} and idempotency_key = ${value("key")}`;
const OF_AGENT: Statement<{ n: number }> = () => sql`select count(*) as n from launches
  where wallet = ${value("wallet")} and status in ('pending', 'success', 'failed', 'rate_limited')
    and created_at >= ${value("day")} and created_at < ${value("nextDay")}`;
const OF_ADDRESS: Statement<{ launches: number }> = () => sql`select launches from address_launches
  where day = ${value("day")} and address = ${value("address")}`;
const LAUNCHED: Statement<{ launched: number }> = ({ today }) =>
  sql`select launched from address_launches where day = ${today} and address = ${value("origin")}`;
const PENDING_OF_ADDRESS: Statement<{ n: number }> = () => sql`select count(*) as n from launches
  where status = 'pending' and network = ${value("network")} and address = ${value("address")}`;
const PENDING_OF_NETWORK: Statement<{ n: number }> = () => sql`select count(*) as n from launches
  where status = 'pending' and network = ${value("network")}`;
const LEFT: Statement<{ left: number }> = (dialect) => sql`select max_uses - uses as "left"
  from invites where code_hash = ${value("codeHash")} and ${isRedeemable(dialect)}`;
const HAS_IMAGE: Statement<{ one: 1 }> = () =>
  sql`select 1 as one from images where hash = ${value("hash")}`;

async function readOneByOne(
  session: Session,
  questions: Questions,
  isCounting: boolean,
): Promise<DrawnFacts> {
  const { keys, agents, addresses, origins, tickers, wallets, invites, images } = questions;
  return {
    keys: await known(keys, (asked) => session.get(BY_KEY, asked)),
    agents: await known(agents, async ({ wallet, day }) => {
      const count = await session.get(OF_AGENT, { wallet, day, nextDay: day + DAY_MS });
      return { launches: count?.n ?? 0 };
    }),
    addresses: await known(addresses, (asked) => session.get(OF_ADDRESS, asked)),
    origins: await known(origins, async ({ network, address }) => {
      const origin = address ?? network;
      const pending =
        address === null
          ? await session.get(PENDING_OF_NETWORK, { network })
          : await session.get(PENDING_OF_ADDRESS, { network, address });
      const launched = await session.get(LAUNCHED, { origin });
      return { origin, pending: pending?.n ?? 0, launched: launched?.launched ?? 0 };
    }),
    tickers: await known(
      tickers.map((ticker) => ({ ticker })),
      (asked) => session.get(HOLDER, asked),
    ),
    standings: await known(
      wallets.map((wallet) => ({ wallet })),
      ({ wallet }) => readStanding(session, wallet),
    ),
    invites: await known(
      invites.map((codeHash) => ({ codeHash })),
      (asked) => session.get(LEFT, asked),
    ),
    images: (
      await known(
        images.map((hash) => ({ hash })),
        (asked) => session.get(HAS_IMAGE, asked),
      )
    ).map(({ hash }) => hash),
    places: questions.readsPlaces ? await session.all(places(session)) : null,
    ...(questions.readsSpending
      ? {
          spentLamports: await spentToday(session),
          reserved: await count(session, reservedToday(session)),
        }
      : { spentLamports: 0n, reserved: 0 }),
    depth: isCounting ? await count(session, DEPTH) : 0,
    drawn: [],
  };
}

/** @returns the questions that have an answer, with it */
async function known<Question extends object, Answer extends object>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer | null>,
): Promise<(Question & Answer)[]> {
  const answered: (Question & Answer)[] = [];
  for (const question of questions) {
    const answer = await ask(question);
    if (answer !== null) answered.push({ ...question, ...answer });
  }
  return answered;
}

async function count(session: Session, what: SQL): Promise<number> {
  return (await session.get(sql<{ n: number }>`select ${what} as n`))?.n ?? 0;
}
