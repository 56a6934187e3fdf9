import pg from "pg";
import {
  type PostgresHost,
  type PostgresTarget,
  parsePostgresUrl,
  showHost,
} from "../../base/postgres-url.ts";
import { NewerSchemaError } from "../migrations.ts";
import {
  type HostPool,
  NO_TLS,
  openPool,
  POOL_BUSY,
  type PoolOptions,
  UnfitDatabaseError,
} from "./connection.ts";
import { ConnectionLost, HostsError, ReadOnlyError, SQLSTATE } from "./faults.ts";

/** If the host seems lost, the next caller tries all hosts; nothing runs in the background. */
export class Primary {
  #active: HostPool | null = null;
  /** The pool whose connections must no longer be used. */
  #suspected: pg.Pool | null = null;
  #search: Promise<HostPool> | null = null;
  #closed = false;
  readonly #ending = new Set<Promise<void>>();

  constructor(
    private readonly target: PostgresTarget,
    private readonly options: PoolOptions,
  ) {}

  /** @throws {HostsError}, or pg's error if no connection is free */
  async checkOut(): Promise<{ readonly client: pg.PoolClient; readonly pool: pg.Pool }> {
    const active = await this.#find();
    const { pool } = active;
    try {
      return { client: await pool.connect(), pool };
    } catch (error) {
      // If all connections are in use, the host works but is overloaded. If it was given up during
      // the wait, together with the callers waiting for it, this one tries the next host.
      if ((error as Error).message === POOL_BUSY && this.#active === active) throw error;
      this.suspect(pool);
      const { pool: next } = await this.#find();
      return { client: await next.connect(), pool: next };
    }
  }

  /** Runs `work` on a separate connection without timeouts. */
  async alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { config } = await this.#find();
    const client = new pg.Client({
      ...config,
      statement_timeout: undefined,
      query_timeout: undefined,
      idle_in_transaction_session_timeout: undefined,
    });
    client.on("error", () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      // Fails if the connection is lost, which `work` has reported.
      await client.end().catch(() => {});
    }
  }

  /** Marks a pool whose host may be lost. Ignores late errors of a pool that was replaced. */
  suspect(pool: pg.Pool): void {
    if (this.#active?.pool === pool) this.#suspected = pool;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#search?.catch(() => {});
    if (this.#active) this.#end(this.#active.pool);
    this.#active = null;
    await Promise.all(this.#ending);
  }

  async #find(): Promise<HostPool> {
    if (this.#closed) throw new ConnectionLost(new Error("The store is closed"), false);
    if (this.#active && this.#suspected !== this.#active.pool) return this.#active;
    this.#search ??= this.#searchHosts().finally(() => {
      this.#search = null;
    });
    return await this.#search;
  }

  /**
   * Opens all hosts at once, so that silent ones cost one timeout, and takes the first in their
   * order. Opens a new pool even for the same host: its old connections may be dead unnoticed.
   */
  async #searchHosts(): Promise<HostPool> {
    const options = { ...this.options, onLost: (pool: pg.Pool) => this.suspect(pool) };
    const opening = this.target.hosts.map((host) =>
      openPool(this.target, host, options).catch((problem: unknown) => ({ problem })),
    );
    const problems: unknown[] = [];
    for (const opened of opening) {
      const host = await opened;
      if ("problem" in host) {
        problems.push(host.problem);
        continue;
      }
      for (const other of opening) {
        void other.then((it) => "pool" in it && it !== host && this.#end(it.pool));
      }
      if (this.#active) this.#end(this.#active.pool);
      this.#active = host;
      return host;
    }
    const [cause] = problems;
    throw new HostsError(problems, "No host of the database takes writes", { cause });
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** Connects for a command. @throws {Error} one line on why it cannot; or what `work` throws */
export async function withConnection<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const target = parsePostgresUrl(url);
  const primary = new Primary(target, { size: 1 });
  let isConnected = false;
  try {
    return await primary.alone((client) => {
      isConnected = true;
      return work(client);
    });
  } catch (cause) {
    if (isConnected) throw cause;
    throw new Error(explainConnectError(cause, target), { cause });
  } finally {
    await primary.close();
  }
}

const UNKNOWN_HOST = ["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME", "EAI_FAIL", "DNS_ENOTFOUND"];
const REFUSED = ["ECONNREFUSED", "ENOENT"];
/** Error codes of Node, OpenSSL and BoringSSL. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/;

/** Returns one line without the password, for example `Nothing listens on db1:5432`. */
export function explainConnectError(error: unknown, target: PostgresTarget): string {
  const errors = error instanceof HostsError ? error.errors : [error];
  return errors.map((cause, index) => explain(cause, target, target.hosts[index])).join("; ");
}

function explain(error: unknown, target: PostgresTarget, host?: PostgresHost): string {
  const at = host ? showHost(host) : "The database";
  if (error instanceof NewerSchemaError) return error.message;
  if (error instanceof UnfitDatabaseError) return `${at}: ${error.message}`;
  if (error instanceof ReadOnlyError) return `${at} takes no writes: it is a standby, or read-only`;
  if (error instanceof pg.DatabaseError) return explainRefusal(error, target, at);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  if (UNKNOWN_HOST.includes(code)) return `The host ${host?.host} is not known`;
  if (REFUSED.includes(code)) return `Nothing listens on ${at}`;
  if (message === NO_TLS) return `${at} speaks no TLS, and sslmode=${target.sslMode} asks for it`;
  if (CERTIFICATE.test(code)) {
    return `${at} has a certificate that sslmode=${target.sslMode} does not accept (${code})`;
  }
  if (message.startsWith("SASL") && message.includes("password")) {
    return `${at} asks for a password, and the URL has none`;
  }
  return `${at} does not answer as PostgreSQL does (${message})`;
}

function explainRefusal(error: pg.DatabaseError, target: PostgresTarget, at: string): string {
  const { user, database, sslMode } = target;
  const { code = "no code", message } = error;
  const refusals: Readonly<Record<string, string>> = {
    [SQLSTATE.wrongPassword]: `${at} refuses the user "${user}" or its password`,
    [SQLSTATE.noAccess]: `${at} refuses the user "${user}" with sslmode=${sslMode} (${message})`,
    [SQLSTATE.noDatabase]: `${at} has no database "${database}"`,
    [SQLSTATE.startsUp]: `${at} starts up or shuts down`,
    [SQLSTATE.tooManyConnections]: `${at} has no connection free`,
    [SQLSTATE.noPermission]: `${at} does not allow the user "${user}" what the service needs (${message})`,
    [SQLSTATE.lockTimeout]: "Another server has been changing the database's version for a minute",
  };
  return refusals[code] ?? `${at} refuses the connection (${code}: ${message})`;
}
