import { dataFiles, type StorageConfig } from "../config/config.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openReadOnly } from "../store/sqlite/read-only.ts";
import type { Store } from "../store/store.ts";

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
