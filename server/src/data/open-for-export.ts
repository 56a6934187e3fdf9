import { dataFiles, type StorageConfig } from "../config/config.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openReadOnly, openShared } from "../store/sqlite/read-only.ts";
import type { Store } from "../store/store.ts";
import { lockCollecting } from "./lock.ts";

/**
 * Opens a service's database to read its tokens and images, while a server may work on it.
 *
 * @throws {Error} if there is none, or another version wrote it
 */
export async function openForExport({
  dataDir,
  databaseUrl,
}: Pick<StorageConfig, "dataDir" | "databaseUrl">): Promise<
  Pick<Store, "tokens" | "images" | "close">
> {
  if (databaseUrl === null) return openReadOnly(dataFiles(dataDir).database);
  return openPostgresStore(databaseUrl, { poolSize: 1 });
}

/**
 * Opens a service's database to read and write what the operator collects, while servers may work on it.
 *
 * @param isReadOnly whether the database is opened for reading only
 * @throws {Error} if there is none, another version wrote it, or another process collects on it
 */
export async function openForCollecting(
  { dataDir, databaseUrl }: Pick<StorageConfig, "dataDir" | "databaseUrl">,
  isReadOnly: boolean,
): Promise<Pick<Store, "tokens" | "collections" | "chainBinding" | "close">> {
  if (databaseUrl !== null) return openPostgresStore(databaseUrl, { poolSize: 4 });
  const { database } = dataFiles(dataDir);
  if (isReadOnly) return openReadOnly(database);
  const store = openShared(database);
  try {
    const lock = lockCollecting(dataDir);
    return {
      ...store,
      async close() {
        await store.close();
        lock.release();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
