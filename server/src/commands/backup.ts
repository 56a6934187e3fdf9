import { readStorageConfig } from "../config/config.ts";
import { makeBackup } from "../data/backup.ts";
import { dumpAdvice, restoreAdvice } from "../data/postgres-backup.ts";
import { restoreBackup } from "../data/restore.ts";

/**
 * `tokend backup FILE`, beside a server or not. @throws {Error} with PostgreSQL, which has its own
 * tool
 */
export function backup(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(dumpAdvice(databaseUrl, file));
  for (const { path, bytes } of makeBackup(dataDir, file, mintSecret)) {
    console.log(`${path}  ${(bytes / 1024 ** 2).toFixed(1)} MB`);
  }
  if (mintSecret !== null)
    console.error("Keep MINT_SECRET too: nothing can be restored without it.");
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}

/** `tokend restore FILE`, into an empty data directory. @throws {Error} with PostgreSQL */
export function restore(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(restoreAdvice(databaseUrl, file));
  for (const path of restoreBackup(dataDir, file, mintSecret)) console.log(path);
  console.error(`Restored. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}
