import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  clockedTokend,
  type ServerProcess,
  startTokend,
  tempDir,
} from "../../support/processes.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** How long a server may fail to start, for example while the database is away; milliseconds. */
const START_MS = 60_000;

export interface GroupOptions {
  /** All settings but the database's, asked for at each start. */
  readonly env: () => Readonly<Record<string, string>>;
  /** The database's URL, to which each server gets a proxy; or the URL that all servers get. */
  readonly database: string | { readonly url: string };
  readonly servers?: number;
  /** How long a lease lasts, in milliseconds; as in production by default. */
  readonly leaseMs?: number;
  /** How many times faster than ours their clocks run; but the database's does not. */
  readonly speed?: number;
}

export const SHARED_SECRETS = { JWT_SECRET: "6a".repeat(32), MINT_SECRET: "6d".repeat(32) };

/** Several `tokend`, each in a process of its own, on one database; each has its own way to it. */
export class ServerGroup implements AsyncDisposable {
  readonly #options: GroupOptions;
  readonly #proxies: DatabaseProxy[] = [];
  readonly #folder = tempDir();
  readonly #servers: ServerProcess[] = [];

  private constructor(options: GroupOptions) {
    this.#options = options;
  }

  static async start(options: GroupOptions): Promise<ServerGroup> {
    const group = new ServerGroup(options);
    const indices = Array.from({ length: options.servers ?? 3 }, (_, index) => index);
    const { database } = options;
    if (typeof database === "string") {
      for (const _ of indices) group.#proxies.push(await DatabaseProxy.start(database));
    }
    await Promise.all(indices.map((index) => group.start(index)));
    return group;
  }

  get all(): readonly ServerProcess[] {
    return this.#servers;
  }

  /** The n-th server, from 0. */
  server(index: number): ServerProcess {
    const server = this.#servers[index % this.#servers.length];
    if (!server) throw new Error("the group has no server");
    return server;
  }

  dataDir(index: number): string {
    return join(this.#folder.path, String(index), "data");
  }

  any(random: SeededRandom): ServerProcess {
    return this.server(random.below(this.#servers.length));
  }

  proxy(index: number): DatabaseProxy {
    const proxy = this.#proxies[index];
    if (!proxy) throw new Error(`server ${index} has no proxy`);
    return proxy;
  }

  /**
   * Starts a server that does not run, over and over until it starts, as a supervisor does.
   *
   * @param offsetMs how wrong its clock is
   * @param env settings of this server alone
   */
  async start(
    index: number,
    offsetMs = 0,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { env: common, database, speed = 1, leaseMs } = this.#options;
    const command = clockedTokend(speed, offsetMs, leaseMs);
    const settings = {
      ...common(),
      ...SHARED_SECRETS,
      DATABASE_URL: typeof database === "string" ? this.proxy(index).url : database.url,
      ...env,
    };
    const folder = join(this.#folder.path, String(index));
    mkdirSync(folder, { recursive: true });
    const deadline = performance.now() + START_MS;
    for (;;) {
      try {
        this.#servers[index] = await startTokend(command, folder, settings);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  async kill(index: number): Promise<void> {
    await this.server(index).end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
    await Promise.all(this.#proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
    this.#folder[Symbol.dispose]();
  }
}
