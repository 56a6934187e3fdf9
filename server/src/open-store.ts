import type { Logger } from "pino";
import { Checkpointer } from "./base/checkpointer.ts";
import type { Clock } from "./base/clock.ts";
import { type Config, dataFiles } from "./config/config.ts";
import { lossProblem } from "./data/directory.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import type { Store, StoreListeners } from "./store/store.ts";

export interface OpenStoreDeps extends StoreListeners {
  readonly clock: Clock;
  readonly log: Logger;
  readonly isNewDatabase?: boolean | undefined;
}

export interface OpenStore {
  readonly store: Store;
  /** Begins the upkeep that requests need not wait for. Call it once the server listens. */
  maintain(): void;
  close(): Promise<void>;
}

/** A shared database, or a file in the `DATA_DIR` that `reserve.ts` has taken. @throws {Error} */
export async function openStore(
  config: Config,
  { clock, log, isNewDatabase = false, ...listeners }: OpenStoreDeps,
): Promise<OpenStore> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) {
    // Loaded only if it is used.
    const { openPostgresStore } = await import("./store/postgres/store.ts");
    const store = await openPostgresStore(databaseUrl, listeners).catch((cause: Error) => {
      throw new Error(`DATABASE_URL leads to no usable database: ${cause.message}`, { cause });
    });
    return { store, maintain: () => {}, close: () => store.close() };
  }
  const loss = isNewDatabase ? null : lossProblem(config);
  if (loss !== null) throw new Error(loss);
  const { database } = dataFiles(dataDir);
  const store = openSqliteStore(database, { clock, ...listeners });
  let checkpointer: Checkpointer | null = null;
  return {
    store,
    maintain() {
      checkpointer = new Checkpointer(database, log);
    },
    async close() {
      await checkpointer?.stop();
      await store.close();
    },
  };
}
