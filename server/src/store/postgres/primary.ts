import pg from "pg";
import { type PostgresTarget, parsePostgresUrl, showHost } from "../../base/postgres-url.ts";
import { SchemaVersionError } from "../migrations.ts";
import { type HostPool, openPool, POOL_BUSY, type PoolOptions } from "./connection.ts";
import { ConnectionLost, HostsError, hasNoRoom } from "./faults.ts";

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
      const isBusy = (error as Error).message === POOL_BUSY || hasNoRoom(error);
      if (isBusy && this.#active === active) throw error;
      this.suspect(pool);
      const { pool: next } = await this.#find();
      return { client: await next.connect(), pool: next };
    }
  }

  /** Runs `work` on a separate connection without timeouts. */
  async alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { config } = await this.#find();
    const client = new pg.Client(config);
    client.on("error", () => {});
    await client.connect();
    try {
      // The role's own may be shorter than a migration.
      await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
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
    if (this.#closed) throw new ConnectionLost(new Error("The store is closed"));
    if (this.#active && this.#suspected !== this.#active.pool) return this.#active;
    this.#search ??= this.#searchHosts().finally(() => {
      this.#search = null;
    });
    return await this.#search;
  }

  /** Opens a new pool even for the same host, whose old connections may be dead without a sign. */
  async #searchHosts(): Promise<HostPool> {
    const options = { ...this.options, onLost: (pool: pg.Pool) => this.suspect(pool) };
    const problems: unknown[] = [];
    for (const host of this.target.hosts) {
      try {
        const opened = await openPool(this.target, host, options);
        if (this.#active) this.#end(this.#active.pool);
        this.#active = opened;
        return opened;
      } catch (problem) {
        problems.push(problem);
      }
    }
    throw new HostsError(problems, "No host of the database takes writes", { cause: problems[0] });
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** Connects for a command. @throws {Error} one line on why it cannot; or what `work` throws */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>) {
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

/** Returns one line without the password, for example `db1:5432: connect ECONNREFUSED`. */
export function explainConnectError(error: unknown, { hosts }: PostgresTarget): string {
  const causes = error instanceof HostsError ? error.errors : [error];
  const lines = causes.map((cause: NodeJS.ErrnoException, index) => {
    const at = hosts[index] ? showHost(hosts[index]) : "The database";
    const { message, code } = cause;
    if (cause instanceof SchemaVersionError) return message;
    return `${at}${cause instanceof pg.DatabaseError ? " refuses" : ""}: ${message || code}`;
  });
  return lines.join("; ");
}
