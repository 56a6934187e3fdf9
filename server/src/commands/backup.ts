import { readStorageConfig } from "../config/config.ts";
import { makeBackup } from "../data/backup.ts";
import { dumpAdvice } from "../data/postgres-backup.ts";

/**
 * `tokend backup FILE`: copies what a server keeps, running or not.
 *
 * @throws {Error} with PostgreSQL, which has a tool of its own, and as {@link makeBackup}
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
