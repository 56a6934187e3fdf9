import { sql } from "drizzle-orm";
import type { ClientBase } from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import { parsePostgresUrl } from "../../base/postgres-url.ts";
import { type ChainBinding, READ_BINDING } from "../chain-binding.ts";
import { rowIn, type Statement } from "../database.ts";
import { migrations, SchemaVersionError } from "../migrations.ts";
import { nounsOf, type Store, type StoreListeners } from "../store.ts";
import type { Timeouts } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { ReadOnlyError } from "./faults.ts";
import { CLOSED, type Closed, migrate, readVersion } from "./migrate.ts";
import { explainConnectError, Primary, withConnection } from "./primary.ts";

const POOL_SIZE = 10;
const FULL_MS = 10_000;

/** Milliseconds since the Unix epoch, by the database's clock. */
const DATABASE_TIME = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

export interface PostgresOptions extends StoreListeners {
  readonly poolSize?: number;
  /** Tests pass shorter ones. */
  readonly timeouts?: Timeouts;
  /** SQL for the database's time in milliseconds; tests pass one that they control. */
  readonly time?: string;
  readonly clock?: Clock;
  /** For a command beside the servers: refuses a database of another version, upgrades nothing. */
  readonly isBeside?: boolean;
}

/** Opens a database, and upgrades it first. @throws {Error} one line for the operator, without password */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const target = parsePostgresUrl(url);
  const { poolSize: size = POOL_SIZE, timeouts } = options;
  const primary = new Primary(target, { size, timeouts });
  try {
    await primary.alone(options.isBeside ? refuseOtherVersion : migrate);
    return await openOn(primary, options);
  } catch (cause) {
    await primary.close();
    throw new Error(explainConnectError(cause, target), { cause });
  }
}

async function refuseOtherVersion(client: ClientBase): Promise<void> {
  const version = await readVersion(client, false);
  if (version !== migrations.length) throw new SchemaVersionError(version);
}

const STATE: Statement<Closed & { now: number; readOnly: string; steering: number }> = ({ now }) =>
  sql`select ${now} as now, current_setting('transaction_read_only') as "readOnly",
    coalesce((select version from steering), 0) as steering, (${sql.raw(CLOSED)}) as closed`;

async function openOn(primary: Primary, options: PostgresOptions): Promise<Store> {
  const clock = new ServerTime(options.clock);
  const db = new PostgresDatabase(primary, options.time ?? DATABASE_TIME, clock);
  const nouns = nounsOf(db, options);
  const ask = () =>
    db.read(async (session) => {
      const askedAt = clock.elapsed();
      const row = await session.get(STATE);
      if (row) clock.correct(row.now, askedAt, clock.elapsed());
      if (row?.readOnly !== "off") throw new ReadOnlyError();
      nouns.operator.saw(row.steering);
      return row.closed;
    });
  await ask();
  return {
    ...nouns,
    clock,
    ping: async () => void (await ask()),
    async findProblem() {
      try {
        const closed = await ask();
        if (closed !== null) throw new Error(closed);
        if (clock.elapsed() - db.fullAt < FULL_MS) throw new Error("Its disk was full just now");
        return null;
      } catch (cause) {
        const text = "The database does not answer or takes no writes; see the server's log";
        return { text, cause };
      }
    },
    close: () => primary.close(),
  };
}

export type PostgresState = Awaited<ReturnType<typeof inspectPostgres>>;

const READ_STATE = `select split_part(current_setting('server_version'), ' ', 1) as version,
  current_setting('synchronous_commit') as "synchronousCommit"`;

/** Reads the state of the primary, and changes nothing. Throws as `withConnection`. */
export function inspectPostgres(url: string) {
  return withConnection(url, async (client) => {
    const { rows } =
      await client.query<Record<"version" | "synchronousCommit", string>>(READ_STATE);
    const has = await readVersion(client);
    const bindings = has === 0 ? [] : (await client.query<ChainBinding>(READ_BINDING)).rows;
    return {
      ...rowIn(rows),
      binding: bindings[0] ?? null,
      schema: { has, known: migrations.length },
    };
  });
}

/** Follows the database's time by this machine's clock; each reading corrects it. */
export class ServerTime implements Clock {
  #offset: number | null = null;

  constructor(private readonly clock: Clock = systemClock) {}

  after: Clock["after"] = (milliseconds, call) => this.clock.after(milliseconds, call);
  elapsed: Clock["elapsed"] = () => this.clock.elapsed();

  now(): number {
    if (this.#offset === null) throw new Error("the database's time was not measured yet");
    return Math.round(this.elapsed() + this.#offset);
  }

  /** Takes a reading, made between `askedAt` and `answeredAt`, which are times of `elapsed()`. */
  correct(databaseTime: number, askedAt: number, answeredAt: number): void {
    this.#offset = databaseTime - (askedAt + answeredAt) / 2;
  }
}
