import pg from "pg";
import type { PostgresHost, PostgresTarget } from "../../base/postgres-url.ts";
import { ConnectionLost, ReadOnlyError } from "./faults.ts";
import { tlsOptions } from "./tls.ts";

export interface Timeouts {
  /** To connect, and to wait for a free connection. */
  readonly connectMs: number;
  /** No statement of the service takes this long; one that waits for a lock may. */
  readonly statementMs: number;
  /** Longer than the server's own timeout: the network or the server's machine is silent. */
  readonly queryMs: number;
}

export const TIMEOUTS: Timeouts = { connectMs: 3_000, statementMs: 4_000, queryMs: 5_000 };

/** A server that stopped in the middle of a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** How soon a connection without traffic notices that the other machine is gone. */
const KEEP_ALIVE_MS = 10_000;
const IDLE_CONNECTION_MS = 60_000;

const OLDEST_VERSION = 14;

/** pg's texts: the server speaks no TLS; all connections are in use; a query was not sent. */
export const NO_TLS = "The server does not support SSL connections";
const POOL_BUSY = "timeout exceeded when trying to connect";
const NOT_SENT = [
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
];

/** What a host is like. */
export interface HostState {
  readonly takesWrites: boolean;
  /** Whether it speaks TLS, if the URL leaves that open. */
  readonly tls: boolean;
}

/** The database cannot hold what the service stores: it is too old, or has another encoding. */
export class UnfitDatabaseError extends Error {
  override readonly name = "UnfitDatabaseError";
}

const numbers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  // All of ours are lamports.
  [pg.types.builtins.NUMERIC, BigInt],
]);

/** How values are read. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && numbers.get(oid)) || pg.types.getTypeParser(oid, format),
};

/** @returns how one host is connected to; nothing of it comes from pg's own reading of URLs */
export function clientConfig(
  target: PostgresTarget,
  host: PostgresHost,
  { tls, timeouts }: { readonly tls: boolean; readonly timeouts: Timeouts },
) {
  return {
    ...host,
    user: target.user,
    database: target.database,
    ...(target.password !== null && { password: target.password }),
    ssl: tls && tlsOptions(target),
    types,
    application_name: "tokend",
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.queryMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  } satisfies pg.ClientConfig;
}

export interface PoolOptions {
  /** Connections at most. */
  readonly size: number;
  readonly timeouts: Timeouts;
}

/** Opens a pool of connections to a host. Each new one must take writes. Listen to its errors. */
export function openPool(
  target: PostgresTarget,
  host: PostgresHost,
  tls: boolean,
  { size, timeouts }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(target, host, { tls, timeouts }),
    max: size,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    verify: (client, done) => {
      readHostState(client, tls).then(
        ({ takesWrites }) => done(takesWrites ? undefined : new ReadOnlyError()),
        done,
      );
    },
  });
  // An error of an idle connection comes to the pool, one of a connection in use to the client
  // itself, and to its query. Without a listener each would end the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/**
 * Connects to a host, asks what it is like, and disconnects.
 *
 * @throws pg's error if it cannot be reached or refuses the connection
 * @throws {UnfitDatabaseError}
 */
export async function probeHost(
  target: PostgresTarget,
  host: PostgresHost,
  timeouts: Timeouts,
): Promise<HostState> {
  const probe = async (tls: boolean) => {
    const client = new pg.Client(clientConfig(target, host, { tls, timeouts }));
    client.on("error", () => {});
    try {
      await client.connect();
      return await readHostState(client, tls);
    } finally {
      void client.end();
    }
  };
  if (target.sslMode === "disable") return await probe(false);
  try {
    return await probe(true);
  } catch (error) {
    const mayDoWithout = target.sslMode === "prefer";
    if (!mayDoWithout || !(error instanceof Error) || error.message !== NO_TLS) throw error;
    return await probe(false);
  }
}

async function readHostState(client: pg.ClientBase, tls: boolean): Promise<HostState> {
  const { rows } = await client.query<
    Record<"version" | "number" | "encoding" | "readOnly", string>
  >(
    `select current_setting('server_version') as version,
       current_setting('server_version_num') as number,
       current_setting('server_encoding') as encoding,
       current_setting('transaction_read_only') as "readOnly"`,
  );
  const [row] = rows;
  if (!row) throw new Error("PostgreSQL sent no row");
  if (Number(row.number) < OLDEST_VERSION * 10_000) {
    throw new UnfitDatabaseError(
      `PostgreSQL ${row.version} is too old: the service needs ${OLDEST_VERSION} or newer`,
    );
  }
  if (row.encoding !== "UTF8") {
    throw new UnfitDatabaseError(`The database's encoding is ${row.encoding}: it must be UTF8`);
  }
  return { takesWrites: row.readOnly === "off", tls };
}

/** @returns whether a pool had no connection free for too long */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === POOL_BUSY;
}

/** Runs a query; an error that PostgreSQL did not send itself becomes {@link ConnectionLost}. */
export async function guardedQuery(
  client: pg.ClientBase,
  query: pg.QueryConfig | pg.QueryArrayConfig,
): Promise<pg.QueryResult> {
  try {
    return await client.query(query);
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error;
    const wasSent = !(error instanceof Error && NOT_SENT.includes(error.message));
    throw new ConnectionLost(error, wasSent);
  }
}
