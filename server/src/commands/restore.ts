import { readStorageConfig } from "../config/config.ts";
import { restoreAdvice } from "../data/postgres-backup.ts";
import { restoreBackup } from "../data/restore.ts";

/**
 * `tokend restore FILE`: puts a backup into an empty data directory.
 *
 * @throws {Error} with PostgreSQL, which has a tool of its own, and as {@link restoreBackup}
 */
export function restore(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(restoreAdvice(databaseUrl, file));
  for (const path of restoreBackup(dataDir, file, mintSecret)) console.log(path);
  console.error(`Restored. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}
