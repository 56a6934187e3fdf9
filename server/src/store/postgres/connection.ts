import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import type { PostgresHost, PostgresTarget } from "../../base/postgres-url.ts";
import { ConnectionLost, ReadOnlyError } from "./faults.ts";

const TIMEOUTS = {
  /** Includes the wait for a free connection. */
  connectMs: 3_000,
  /** Only a statement that waits for a lock takes this long. */
  statementMs: 4_000,
  /** Longer than the server's own timeout: if it passes, the network or the machine is silent. */
  queryMs: 5_000,
};
export type Timeouts = Readonly<typeof TIMEOUTS>;

/** How long a server that stops in the middle of a transaction can hold its locks. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** How soon an idle connection checks whether the other machine still answers. */
const KEEP_ALIVE_MS = 10_000;
const IDLE_CONNECTION_MS = 60_000;

/** Messages of pg: the server has no TLS; all connections are in use. */
const NO_TLS = "The server does not support SSL connections";
export const POOL_BUSY = "timeout exceeded when trying to connect";

export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
// All our numerics are lamports.
types.setTypeParser(pg.types.builtins.NUMERIC, BigInt);

export interface PoolOptions {
  readonly size: number;
  readonly timeouts?: Timeouts | undefined;
}

export interface HostPool {
  readonly pool: pg.Pool;
  readonly config: pg.ClientConfig;
}

/**
 * Opens a pool and its first connection. Each new connection must accept writes.
 * @param onLost called if an idle connection breaks
 * @throws pg's error, {@link ReadOnlyError}, or an error that says why the database is unfit
 */
export async function openPool(
  target: PostgresTarget,
  host: PostgresHost,
  { size, timeouts = TIMEOUTS, onLost }: PoolOptions & { readonly onLost: (pool: pg.Pool) => void },
): Promise<HostPool> {
  const { user, database, password, sslMode } = target;
  const open = async (tls: boolean): Promise<HostPool> => {
    // All settings are explicit: pg never reads the URL itself.
    const config = {
      ...host,
      user,
      database,
      ...(password !== null && { password }),
      ssl: tls && tlsOptions(target),
      types,
      application_name: "tokend",
      connectionTimeoutMillis: timeouts.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    };
    const pool = new pg.Pool({
      ...config,
      statement_timeout: timeouts.statementMs,
      lock_timeout: timeouts.statementMs,
      query_timeout: timeouts.queryMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      max: size,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      verify: (client, done) => void checkHost(client).then(() => done(), done),
    });
    // pg reports an error of an idle connection to the pool, and one of a connection in use to the
    // client and its query. Without a listener, either would end the process.
    pool.on("connect", (client) => void client.on("error", () => {}));
    pool.on("error", () => onLost(pool));
    try {
      (await pool.connect()).release();
    } catch (error) {
      void pool.end();
      throw error;
    }
    return { pool, config };
  };
  if (sslMode !== "prefer") return await open(sslMode !== "disable");
  return await open(true).catch((error: Error) => {
    if (error.message === NO_TLS) return open(false);
    throw error;
  });
}

/**
 * Follows libpq's `sslmode`: `prefer` and `require` encrypt without checking a certificate,
 * `verify-ca` checks who issued it, and `verify-full` also checks the host's name. `require` with a
 * root certificate is `verify-ca`. Without `sslrootcert`, the well-known authorities are trusted.
 */
function tlsOptions(target: PostgresTarget): ConnectionOptions {
  const { sslMode, sslRootCert } = target;
  const files = sslRootCert !== null && { ca: readPem(sslRootCert) };
  const isRequired = sslMode === "require" && sslRootCert !== null;
  return {
    ...files,
    rejectUnauthorized: sslMode.startsWith("verify") || isRequired,
    ...(sslMode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`The file of sslrootcert cannot be read: ${path}`, { cause });
  }
}

async function checkHost(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ readOnly: string }>(
    `select current_setting('transaction_read_only') as "readOnly"`,
  );
  if (rows[0]?.readOnly !== "off") throw new ReadOnlyError();
}

/** Turns each error that PostgreSQL did not send itself into {@link ConnectionLost}. */
export async function guardedQuery(
  client: pg.ClientBase,
  query: pg.QueryConfig | pg.QueryArrayConfig,
): Promise<pg.QueryResult> {
  try {
    return await client.query(query);
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error;
    throw new ConnectionLost(error);
  }
}
