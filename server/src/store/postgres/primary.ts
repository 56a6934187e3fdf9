import pg from "pg";
import type { PostgresHost, PostgresTarget } from "../../base/postgres-url.ts";
import {
  clientConfig,
  type HostState,
  isPoolBusy,
  openPool,
  type PoolOptions,
  probeHost,
} from "./connection.ts";
import { ConnectionLost, ReadOnlyError } from "./faults.ts";

/** No host can be reached and takes writes. */
export class HostsError extends Error {
  override readonly name = "HostsError";
  /** What is wrong with each, in the order of the hosts. */
  readonly problems: readonly { readonly host: PostgresHost; readonly cause: unknown }[];

  constructor(problems: HostsError["problems"]) {
    super("No host of the database takes writes", { cause: problems[0]?.cause });
    this.problems = problems;
  }
}

interface Active {
  readonly tls: boolean;
  readonly host: PostgresHost;
  readonly pool: pg.Pool;
}

/** A connection that was taken from the pool; release its client. */
export interface Connection {
  readonly client: pg.PoolClient;
  /** Says that the host may be lost: all connections to it are replaced. */
  readonly suspect: () => void;
}

/**
 * The connections to the host that takes writes. After any sign that it is lost, the next caller
 * looks at all hosts again; nothing runs in the background.
 */
export class Primary {
  readonly #target: PostgresTarget;
  readonly #options: PoolOptions;
  #active: Active | null = null;
  /** The pool whose connections must not be used any more. */
  #suspected: pg.Pool | null = null;
  #search: Promise<Active> | null = null;
  #closed = false;
  readonly #ending = new Set<Promise<void>>();

  constructor(target: PostgresTarget, options: PoolOptions) {
    this.#target = target;
    this.#options = options;
  }

  /**
   * Takes a connection of the pool.
   *
   * @throws {HostsError} if no host can be reached and takes writes
   * @throws pg's error if there is no connection free
   */
  async checkOut(): Promise<Connection> {
    const active = await this.#find();
    try {
      return await this.#connect(active);
    } catch (error) {
      // If all connections are in use, the host works but is overloaded, unless it was given up during
      // the wait, together with the callers that waited for a connection to it.
      if (isPoolBusy(error) && this.#active === active) throw error;
      this.#suspect(active.pool);
      return await this.#connect(await this.#find());
    }
  }

  /** Opens a connection without timeouts beside the pool; end it. */
  async connectAlone(): Promise<pg.Client> {
    const { host, tls } = await this.#find();
    const client = new pg.Client({
      ...clientConfig(this.#target, host, { tls, timeouts: this.#options.timeouts }),
      statement_timeout: undefined,
      query_timeout: undefined,
      idle_in_transaction_session_timeout: undefined,
    });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  /** Ends all connections, after the statements that run now. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#search?.catch(() => {});
    if (this.#active) this.#end(this.#active.pool);
    this.#active = null;
    await Promise.all(this.#ending);
  }

  async #connect({ pool }: Active): Promise<Connection> {
    const client = await pool.connect();
    return { client, suspect: () => this.#suspect(pool) };
  }

  /** Late errors of a pool that was replaced say nothing about the present one. */
  #suspect(pool: pg.Pool): void {
    if (this.#active?.pool === pool) this.#suspected = pool;
  }

  async #find(): Promise<Active> {
    if (this.#closed) throw new ConnectionLost(new Error("The store is closed"), false);
    if (this.#active && this.#suspected !== this.#active.pool) return this.#active;
    this.#search ??= this.#searchHosts().finally(() => {
      this.#search = null;
    });
    return await this.#search;
  }

  /** Asks all hosts at once, so that silent ones cost one timeout; takes the first in their order. */
  async #searchHosts(): Promise<Active> {
    const { hosts } = this.#target;
    const { timeouts } = this.#options;
    const probes = hosts.map((host) => probeHost(this.#target, host, timeouts));
    for (const probe of probes) probe.catch(() => {});
    const problems: { host: PostgresHost; cause: unknown }[] = [];
    for (const [index, host] of hosts.entries()) {
      try {
        const state = (await probes[index]) as HostState;
        if (state.takesWrites) return this.#activate(host, state.tls);
        problems.push({ host, cause: new ReadOnlyError() });
      } catch (cause) {
        problems.push({ host, cause });
      }
    }
    throw new HostsError(problems);
  }

  /** Makes a new pool even for the same host: its old connections may be dead unnoticed. */
  #activate(host: PostgresHost, tls: boolean): Active {
    if (this.#active) this.#end(this.#active.pool);
    const pool = openPool(this.#target, host, tls, this.#options);
    pool.on("error", () => this.#suspect(pool));
    this.#active = { host, tls, pool };
    return this.#active;
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
