import type { Logger } from "pino";
import { Checkpointer } from "./base/checkpointer.ts";
import type { Clock } from "./base/clock.ts";
import { type Config, dataFiles } from "./config/config.ts";
import type { OnEvents } from "./store/events.ts";
import type { OnEnded } from "./store/launch-row.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import type { Store } from "./store/store.ts";

export interface OpenStoreDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onEnded: OnEnded;
  readonly onEvents: OnEvents;
}

/** The database that the configuration names, ready for use. */
export interface OpenStore {
  readonly store: Store;
  /** Begins the upkeep that requests need not wait for. Call it once the server listens. */
  maintain(): void;
  /** Ends the upkeep, closes the database and frees what it was opened with. */
  close(): Promise<void>;
}

/**
 * Opens the database. What this machine keeps of it is reserved already (`reserve.ts`).
 *
 * @throws {Error} if it cannot be opened, or a newer version wrote it
 */
export async function openStore(config: Config, deps: OpenStoreDeps): Promise<OpenStore> {
  const { databaseUrl } = config;
  return databaseUrl === null ? openSqlite(config, deps) : openPostgres(databaseUrl, deps);
}

/** The database that several servers share. */
async function openPostgres(url: string, { onEnded, onEvents }: OpenStoreDeps): Promise<OpenStore> {
  // Loaded only if it is used.
  const { openPostgresStore } = await import("./store/postgres/store.ts");
  const store = await openPostgresStore(url, { onEnded, onEvents }).catch((cause: Error) => {
    throw new Error(`DATABASE_URL leads to no usable database: ${cause.message}`, { cause });
  });
  return { store, maintain: () => {}, close: () => store.close() };
}

/** The database of one server: a file in `DATA_DIR`, which no other server may use. */
async function openSqlite(
  { dataDir }: Config,
  { clock, log, onEnded, onEvents }: OpenStoreDeps,
): Promise<OpenStore> {
  const { database } = dataFiles(dataDir);
  const store = openSqliteStore(database, { clock, onEnded, onEvents });
  const untilClose = new AsyncDisposableStack();
  untilClose.defer(() => store.close());
  return {
    store,
    maintain() {
      const checkpointer = new Checkpointer(database, log);
      untilClose.defer(() => checkpointer.stop());
    },
    close: () => untilClose.disposeAsync(),
  };
}
