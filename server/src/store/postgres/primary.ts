import pg from "pg";
import {
  clientConfig,
  type HostState,
  openPool,
  type PoolOptions,
  probeHost,
} from "./connection.ts";
import { ConnectionLost, ReadOnlyError } from "./faults.ts";
import type { PostgresHost, PostgresTarget } from "./url.ts";

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
  readonly host: PostgresHost;
  readonly tls: boolean;
  readonly pool: pg.Pool;
}

/**
 * The connections to the host that takes writes. After any sign that it is lost, the next caller
 * looks at all hosts anew; nothing runs in the background.
 */
export class Primary {
  readonly #target: PostgresTarget;
  readonly #options: PoolOptions;
  #active: Active | null = null;
  #isSuspect = false;
  #search: Promise<Active> | null = null;
  #closed = false;
  readonly #ending = new Set<Promise<void>>();

  constructor(target: PostgresTarget, options: PoolOptions) {
    this.#target = target;
    this.#options = options;
  }

  /**
   * Takes a connection of the pool; release it.
   *
   * @throws {HostsError} if no host can be reached and takes writes
   * @throws pg's error if there is no connection free
   */
  async checkOut(): Promise<pg.PoolClient> {
    const active = await this.#find();
    try {
      return await active.pool.connect();
    } catch {
      this.suspect();
      return await (await this.#find()).pool.connect();
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

  /** Makes the next caller look for the host that takes writes. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Ends all connections, after the statements that run now. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#search?.catch(() => {});
    if (this.#active) this.#end(this.#active.pool);
    this.#active = null;
    await Promise.all(this.#ending);
  }

  async #find(): Promise<Active> {
    if (this.#closed) throw new ConnectionLost(new Error("The store is closed"), false);
    if (this.#active && !this.#isSuspect) return this.#active;
    this.#search ??= this.#searchHosts().finally(() => {
      this.#search = null;
    });
    return await this.#search;
  }

  /** Asks all hosts at once, so that silent ones cost one timeout; takes the first in their order. */
  async #searchHosts(): Promise<Active> {
    this.#isSuspect = false;
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
    this.#isSuspect = true;
    throw new HostsError(problems);
  }

  #activate(host: PostgresHost, tls: boolean): Active {
    const before = this.#active;
    if (before && before.host === host && before.tls === tls) return before;
    const onLost = () => this.suspect();
    const pool = openPool(this.#target, host, tls, this.#options, onLost);
    if (before) this.#end(before.pool);
    this.#active = { host, tls, pool };
    return this.#active;
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
