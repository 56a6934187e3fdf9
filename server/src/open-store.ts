import type { Clock } from "./base/clock.ts";
import { type Config, dataFiles } from "./config/config.ts";
import { lossProblem } from "./data/directory.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import type { Store, StoreListeners } from "./store/store.ts";

/** Opens a shared database, or a file in the `DATA_DIR` that is reserved. @throws {Error} */
export async function openStore(
  config: Config,
  {
    clock,
    isNewDatabase = false,
    ...listeners
  }: StoreListeners & { readonly clock: Clock; readonly isNewDatabase?: boolean | undefined },
): Promise<Store> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) {
    // Loaded only if it is used.
    const { openPostgresStore } = await import("./store/postgres/store.ts");
    return openPostgresStore(databaseUrl, { clock, ...listeners }).catch((cause: Error) => {
      throw new Error(`DATABASE_URL leads to no usable database: ${cause.message}`, { cause });
    });
  }
  const loss = isNewDatabase ? null : lossProblem(config);
  if (loss !== null) throw new Error(loss);
  return openSqliteStore(dataFiles(dataDir).database, { clock, ...listeners });
}
