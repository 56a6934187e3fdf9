import { readDatabaseUrl, readDataDir } from "../config/config.ts";
import { makeBackup } from "../data/backup.ts";
import { dumpAdvice } from "../data/postgres-backup.ts";

/**
 * `tokend backup FILE`: copies what a server keeps, running or not.
 *
 * @throws {Error} with PostgreSQL, which has a tool of its own, and as {@link makeBackup}
 */
export function backup(file: string): void {
  const url = readDatabaseUrl(process.env);
  if (url !== null) throw new Error(dumpAdvice(url, file));
  for (const { path, bytes } of makeBackup(readDataDir(process.env), file)) {
    console.log(`${path}  ${(bytes / 1024 ** 2).toFixed(1)} MB`);
  }
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}
