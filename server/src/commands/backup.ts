import { statSync } from "node:fs";
import { withoutPassword } from "../base/postgres-url.ts";
import { readStorageConfig } from "../config/config.ts";
import { makeBackup, restoreBackup } from "../data/backup.ts";

export function backup(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(dumpAdvice(databaseUrl, file));
  for (const { path, bytes } of makeBackup(dataDir, file, mintSecret)) {
    const size = bytes < 1024 ** 2 ? [bytes / 1024, "kB"] : [bytes / 1024 ** 2, "MB"];
    console.log(`${path}  ${Number(size[0]).toFixed(1)} ${size[1]}`);
  }
  if (mintSecret !== null)
    console.error("Keep MINT_SECRET too: nothing can be restored without it.");
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}

export function restore(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(restoreAdvice(databaseUrl, file));
  for (const path of restoreBackup(dataDir, file, mintSecret)) console.log(path);
  const { uid, gid } = statSync(dataDir);
  const whose = process.getuid?.() === uid ? "" : `, owned by ${uid}:${gid} as the folder is`;
  console.error(`Restored${whose}. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}

export function dumpAdvice(url: string, file: string): string {
  return (
    "DATABASE_URL is set, and a PostgreSQL database is backed up with its own tool, while servers run:\n" +
    `  pg_dump --format=custom --file=${quoted(file)} ${quoted(withoutPassword(url))}\n` +
    "It reads the password from PGPASSWORD or ~/.pgpass. Also keep, private and apart from it, " +
    "MINT_SECRET (nothing could be restored without it), JWT_SECRET, the launch wallet's keypair and the settings."
  );
}

export function restoreAdvice(url: string, file: string): string {
  return (
    "DATABASE_URL is set, and a PostgreSQL database is restored with its own tool, into an empty " +
    "database and with every server stopped:\n" +
    "  pg_restore --exit-on-error --single-transaction --no-owner " +
    `--dbname=${quoted(withoutPassword(url))} ${quoted(file)}\n` +
    "It reads the password from PGPASSWORD or ~/.pgpass. Then start the servers with the MINT_SECRET " +
    "that the database had."
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
