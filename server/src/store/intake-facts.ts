import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS, startOfUtcDay, utcDay } from "../base/utc-day.ts";
import {
  decide,
  type HourPlace,
  hourPlaces,
  type IntakeFacts,
  type IntakeRequest,
  needsInvite,
  type Refusal,
  type Standing,
  type TickerOwner,
  UNKNOWN_WALLET,
} from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Dialect, Session, Statement } from "./database.ts";
import type { NewLaunch } from "./launch-row.ts";
import { STANDING, standingOf } from "./operator-reads.ts";

export interface BatchRequest extends IntakeRequest {
  /** Null unless the client's key determines its `eventId`. */
  readonly requestHash: string | null;
  readonly imageHash: string | null;
  /** Null for a retry. */
  readonly launch: NewLaunch | null;
}

type List<Row> = readonly Readonly<Row>[];

/** A fact that no limit needs keeps this value. */
const NOTHING = {
  known: [] as List<Record<"eventId" | "requestHash", string>>,
  /** Launches of a wallet in a UTC day, which is named by its first millisecond. */
  agents: [] as List<{ wallet: string; day: number; launches: number }>,
  addresses: [] as List<{ address: string; day: string; launches: number }>,
  /** By address and by network: launches that are pending, and that came on chain today. */
  origins: [] as List<{ origin: string } & Record<"pending" | "ofAgents" | "launched", number>>,
  tickers: [] as List<TickerOwner & { ticker: string }>,
  /** What the operator has decided about wallets; a wallet without a decision is missing. */
  standings: [] as List<Standing & { wallet: string }>,
  /** Invites that can be redeemed, and how many times each. */
  invites: [] as List<{ codeHash: string; left: number }>,
  /** The batch's images that are stored. None is deleted before the transaction ends. */
  images: [] as List<{ hash: string }>,
  /** Who has a place in the last hour; null if that was not read. */
  places: null as readonly HourPlace[] | null,
  /** Lamports spent today, and how many pending launches have reserved some of them. */
  spentLamports: 0n,
  reserved: 0,
  /** Pending launches by who pays for them; 0 is close enough if all have room. */
  depth: 0,
  ofAgents: 0,
  /** Numbers for the batch, in ascending order: none on SQLite, where one server draws them. */
  drawn: [] as readonly number[],
};

export type BatchFacts = Readonly<typeof NOTHING>;
type Name = keyof BatchFacts;

interface Questions {
  readonly requests: readonly BatchRequest[];
  readonly limits: IntakeLimits;
  /** Whether the pending launches are counted, and whether each request gets a number. */
  readonly isCounting: boolean;
  readonly isDrawing: boolean;
}

export function isQueueLimited({ maxPending, budget }: IntakeLimits): boolean {
  return Number.isFinite(maxPending) || budget !== null;
}

/**
 * In one statement: on PostgreSQL each takes an answer of its machine, and on SQLite 64 reads by key take ten
 * times as long as one of 64 keys.
 */
export async function readFacts(
  session: Session,
  { requests, limits, isCounting, isDrawing }: Questions,
): Promise<BatchFacts> {
  const lists = Object.entries(askedOf(requests, limits)).filter(([, asked]) => asked.length > 0);
  const names = lists.map(([name]) => name as Name);
  if (Number.isFinite(limits.maxPerHour)) names.push("places");
  if (limits.budget !== null) names.push("spentLamports", "reserved");
  if (isCounting) names.push("depth", "ofAgents");
  if (isDrawing && session.engine === "postgres") names.push("drawn");
  if (names.length === 0) return NOTHING;
  const texts = Object.fromEntries(lists.map(([name, asked]) => [name, JSON.stringify(asked)]));
  const stored = await session.get(statementOf(names), { ...texts, requests: requests.length });
  const facts = Object.entries(stored ?? {}).map(([name, fact]) => [name, read(name, fact)]);
  return { ...NOTHING, ...Object.fromEntries(facts) };
}

/** SQLite has texts for the lists that PostgreSQL's driver has parsed. */
function read(name: string, fact: unknown): unknown {
  if (name === "spentLamports") return BigInt(fact as string);
  return typeof fact === "string" ? JSON.parse(fact) : fact;
}

function askedOf(requests: readonly BatchRequest[], limits: IntakeLimits) {
  const addresses = requests.flatMap(({ address, now }) =>
    address === null ? [] : [{ address, network: networkOf(address), day: utcDay(now) }],
  );
  return {
    known: requests.filter(({ requestHash }) => requestHash !== null).map(({ eventId }) => eventId),
    agents: Number.isFinite(limits.maxOfAgent)
      ? requests.map(({ wallet, now }) => ({ wallet, day: startOfUtcDay(now), date: utcDay(now) }))
      : [],
    addresses: Number.isFinite(limits.maxOfAddress) ? addresses : [],
    origins: isQueueLimited(limits) ? addresses : [],
    tickers: requests.map(({ ticker }) => ticker).filter((ticker) => ticker !== null),
    standings: requests.map(({ wallet }) => wallet),
    invites: requests.map(({ inviteHash }) => inviteHash).filter((hash) => hash !== null),
    images: requests.map(({ imageHash }) => imageHash).filter((hash) => hash !== null),
  };
}

const statements = new Map<string, Statement<Record<string, unknown>>>();

function statementOf(names: readonly Name[]): Statement<Record<string, unknown>> {
  const known = statements.get(names.join());
  if (known) return known;
  const made: Statement<Record<string, unknown>> = (dialect) => {
    const facts = names.map((name) => sql`${factOf(name, dialect)} as ${sql.identifier(name)}`);
    return sql`with clock as materialized (select ${dialect.today} as day)
      select ${sql.join(facts, sql`, `)}`;
  };
  statements.set(names.join(), made);
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

const COLUMNS: Partial<Record<Name, string>> = {
  known: "eventId requestHash",
  agents: "wallet day launches",
  addresses: "address day launches",
  origins: "origin pending ofAgents launched",
  tickers: "ticker eventId wallet status endedAt",
  standings: "wallet isBlocked isAllowed isInvited",
  invites: "codeHash left",
  images: "hash",
  places: "wallet address network",
};

const FACTS: Record<Name, (dialect: Dialect) => SQL> = {
  known: (dialect) => sql`select event_id as "eventId", request_hash as "requestHash" from launches
    where event_id in ${texts(dialect, "known")}`,
  agents: (dialect) => sql`select wallet, day,
      (select count(*) from launches where launches.wallet = agent.wallet
        and status in ('pending', 'success', 'failed', 'rate_limited') and created_at >= agent.day
        and created_at < agent.day + ${sql.raw(`${DAY_MS}`)})
      + coalesce((select counted.launches from daily_launches as counted
        where client = agent.wallet and counted.day = agent.date), 0) as launches
    from (select distinct ${field("wallet")} as wallet, cast(${field("day")} as bigint) as day,
        ${field("date")} as date
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
  standings: (dialect) => sql`select wallet, ${STANDING} from agent_rules
    where wallet in ${texts(dialect, "standings")}`,
  invites: (dialect) => sql`select code_hash as "codeHash", max_uses - uses as "left" from invites
    where code_hash in ${texts(dialect, "invites")} and uses < max_uses
      and revoked_at is null and (expires_at is null or expires_at > ${dialect.now})`,
  images: (dialect) => sql`select hash from images where hash in ${texts(dialect, "images")}
    order by hash ${dialect.locking("for key share")}`,
  places: (dialect) => sql`select wallet, address, network from launches
      where status = 'pending' and payer is null
    union all select wallet, address, network from launch_starts
      where started_at > ${dialect.now} - ${HOUR_MS}`,
  spentLamports: () =>
    sql`cast(coalesce((select lamports from spending where day = ${TODAY}), 0) as text)`,
  reserved: () =>
    sql`(select count(*) from launches where status = 'pending' and reserved_day = ${TODAY})`,
  depth: () => sql`(select count(*) from launches where status = 'pending' and payer is null)`,
  ofAgents: () =>
    sql`(select count(*) from launches where status = 'pending' and sign_by is not null)`,
  drawn: () => sql`(select coalesce(json_agg(nextval('launches_seq_seq')), '[]')
    from generate_series(1, cast(${sql.placeholder("requests")} as int)))`,
};

function factOf(name: Name, dialect: Dialect): SQL {
  const fact = FACTS[name](dialect);
  const fields = COLUMNS[name]?.split(" ").map((column) => `'${column}', "${column}"`);
  if (!fields) return fact;
  const { json } = dialect;
  return sql`(select coalesce(${json.list}(${json.object}(${sql.raw(fields.join(", "))})), '[]')
    from (${fact}) as fact)`;
}

/**
 * One request after another: each that is accepted counts for those behind it. What the transaction has read
 * stays true until it commits.
 */
export class IntakeBatch {
  /** By what is counted and of whom, for example `invite HASH`, `pending NETWORK`, or `pending total`. */
  readonly #counts = new Map<string, number>();
  readonly #tickers: Map<string, TickerOwner>;
  readonly #standings: Map<string, Standing>;
  readonly #places: HourPlace[] | null;
  readonly #known: Map<string, string>;
  readonly #images: ReadonlySet<string>;
  readonly accepted: BatchRequest[] = [];
  /** Tickers that are taken from launches that ended at `endedBy` or before. */
  readonly released: { readonly ticker: string; readonly endedBy: number }[] = [];
  readonly redeemed: { readonly wallet: string; readonly codeHash: string }[] = [];

  constructor(
    private readonly facts: BatchFacts,
    private readonly limits: IntakeLimits,
  ) {
    // A fact that several requests ask for may stand there several times.
    for (const it of facts.agents) this.#counts.set(`agent ${it.wallet} ${it.day}`, it.launches);
    for (const it of facts.addresses) this.#counts.set(`day ${it.address} ${it.day}`, it.launches);
    for (const it of facts.invites) this.#counts.set(`invite ${it.codeHash}`, it.left);
    const ofAll = { origin: "total", pending: facts.depth, ofAgents: facts.ofAgents, launched: 0 };
    for (const { origin, ...counts } of [...facts.origins, ofAll]) {
      for (const [what, count] of Object.entries(counts))
        this.#counts.set(`${what} ${origin}`, count);
    }
    this.#tickers = new Map(facts.tickers.map(({ ticker, ...owner }) => [ticker, owner]));
    this.#standings = new Map(facts.standings.map((it) => [it.wallet, standingOf(it)]));
    this.#places = facts.places && [...facts.places];
    this.#known = new Map(facts.known.map((it) => [it.eventId, it.requestHash]));
    this.#images = new Set(facts.images.map(({ hash }) => hash));
  }

  factsOf({ eventId, wallet, ticker, address, now, inviteHash }: BatchRequest): IntakeFacts {
    const network = address === null ? null : networkOf(address);
    const of = (what: "pending" | "ofAgents") => ({
      address: this.#count(`${what} ${address}`),
      network: this.#count(`${what} ${network}`),
      total: this.#count(`${what} total`),
    });
    const owner = ticker === null ? undefined : this.#tickers.get(ticker);
    return {
      standing: this.#standings.get(wallet) ?? UNKNOWN_WALLET,
      isInviteGood: inviteHash === null ? null : this.#count(`invite ${inviteHash}`) > 0,
      ofAgent: this.#count(`agent ${wallet} ${startOfUtcDay(now)}`),
      ofAddress: address === null ? 0 : this.#count(`day ${address} ${utcDay(now)}`),
      pending: of("pending"),
      ofAgents: of("ofAgents"),
      launched: {
        address: this.#count(`launched ${address}`),
        network: this.#count(`launched ${network}`),
      },
      places:
        this.#places === null
          ? { isAmong: false, used: {} }
          : hourPlaces(this.#places, wallet, address),
      spending: { lamports: this.facts.spentLamports, reserved: this.facts.reserved },
      tickerOwner: owner === undefined || owner.eventId === eventId ? null : owner,
    };
  }

  /** The number of a request's launch; null on SQLite, which numbers its rows. */
  numberOf(index: number): number | null {
    return this.facts.drawn[index] ?? null;
  }

  decide(request: BatchRequest): "stored" | "replayed" | "key_reused" | "image_gone" | Refusal {
    const { eventId, requestHash, imageHash } = request;
    const known = this.#known.get(eventId);
    if (known !== undefined) return known === requestHash ? "replayed" : "key_reused";
    if (imageHash !== null && !this.#images.has(imageHash)) return "image_gone";
    const facts = this.factsOf(request);
    const [refusal] = decide(request, facts, this.limits);
    if (refusal !== undefined) return refusal;
    if (requestHash !== null) this.#known.set(eventId, requestHash);
    this.#accept(request, facts);
    return "stored";
  }

  #accept(request: BatchRequest, { tickerOwner, standing }: IntakeFacts): void {
    const { eventId, wallet, ticker, address, now, inviteHash } = request;
    const network = address === null ? null : networkOf(address);
    this.accepted.push(request);
    const kind = request.isPaidByAgent ? "ofAgents" : "pending";
    const origins = address === null ? ["total"] : ["total", address, network];
    for (const origin of origins) this.#add(`${kind} ${origin}`, 1);
    if (!request.isPaidByAgent) this.#places?.push({ wallet, address, network });
    if (request.isCounted) this.#add(`agent ${wallet} ${startOfUtcDay(now)}`, 1);
    if (address !== null) this.#add(`day ${address} ${utcDay(now)}`, 1);
    if (ticker !== null) {
      if (tickerOwner) this.released.push({ ticker, endedBy: now - this.limits.tickerHoldMs });
      this.#tickers.set(ticker, { eventId, wallet, status: "pending", endedAt: null });
    }
    if (inviteHash !== null && needsInvite(standing, this.limits.admission)) {
      this.redeemed.push({ wallet, codeHash: inviteHash });
      this.#add(`invite ${inviteHash}`, -1);
      this.#standings.set(wallet, { ...standing, isInvited: true });
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, n: number): void {
    this.#counts.set(key, this.#count(key) + n);
  }
}
