import { dataFiles, type StorageConfig } from "../config/config.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openBeside } from "../store/sqlite/store.ts";
import { lockCollecting, readMoved } from "./directory.ts";

/**
 * Opens the database beside its server: to read it, or to collect.
 * @throws {Error} the database is missing, moved or of another version, or another process collects
 */
export async function openBesideServer(
  { dataDir, databaseUrl }: StorageConfig,
  isReadOnly: boolean,
): Promise<ReturnType<typeof openBeside>> {
  if (databaseUrl !== null) return openPostgresStore(databaseUrl, { poolSize: 4, isBeside: true });
  const moved = readMoved(dataDir);
  if (moved !== null) throw new Error(`${moved} Set DATABASE_URL to that database.`);
  const store = openBeside(dataFiles(dataDir).database, { isReadOnly });
  if (isReadOnly) return store;
  try {
    const lock = lockCollecting(dataDir);
    return { ...store, close: () => store.close().then(() => lock.release()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
