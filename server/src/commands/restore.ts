import { readDataDir } from "../config/config.ts";
import { restoreBackup } from "../data/restore.ts";

/** `tokend restore FILE`: puts a backup into an empty data directory. */
export function restore(file: string): void {
  const dataDir = readDataDir(process.env);
  for (const path of restoreBackup(dataDir, file)) console.log(path);
  console.error(`Restored. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}
