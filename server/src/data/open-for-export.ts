import { dataFiles, type StorageConfig } from "../config/config.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openBeside } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { lockCollecting } from "./directory.ts";

export async function openForExport({
  dataDir,
  databaseUrl,
}: StorageConfig): Promise<Pick<Store, "tokens" | "images" | "close">> {
  if (databaseUrl !== null) return openPostgresStore(databaseUrl, { poolSize: 1 });
  return openBeside(dataFiles(dataDir).database, { isReadOnly: true });
}

/** @throws {Error} the database is missing or of another version, or another process collects */
export async function openForCollecting(
  { dataDir, databaseUrl }: StorageConfig,
  isReadOnly: boolean,
): Promise<Pick<Store, "tokens" | "collections" | "chainBinding" | "close">> {
  if (databaseUrl !== null) return openPostgresStore(databaseUrl, { poolSize: 4 });
  const store = openBeside(dataFiles(dataDir).database, { isReadOnly });
  if (isReadOnly) return store;
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
