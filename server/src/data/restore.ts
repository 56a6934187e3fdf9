import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { writeDurably } from "../base/durable-file.ts";
import { checkDatabase } from "../store/sqlite/copy-database.ts";
import { inspectDatabase } from "../store/sqlite/inspect-database.ts";
import { backedUpFiles, backupFiles } from "./backup-files.ts";
import { needsMintSecret } from "./chain-binding.ts";
import { lockDataDirectory } from "./lock.ts";

/**
 * Puts a backup into a data directory that has no database yet.
 *
 * @param givenSecret the mint secret, if the server is given it and the backup has no file of it
 * @returns the files that were put there
 * @throws {Error} if the directory is in use or has such files already, or the backup is damaged or
 * lacks a file on which its launches depend; then nothing is left behind
 */
export function restoreBackup(
  dataDir: string,
  backup: string,
  givenSecret: Uint8Array | null = null,
): string[] {
  const present = backedUpFiles(dataDir, backup).filter(({ copy }) => existsSync(copy));
  if (!existsSync(backup)) throw new Error(`There is no backup ${backup}.`);
  const missing = missingFile(backup, givenSecret !== null);
  if (missing !== null) throw new Error(missing);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(dataDir);
  const made: string[] = [];
  try {
    for (const { original, isDatabase } of present) {
      if (existsSync(original)) {
        throw new Error(`${original} exists already: restore into an empty DATA_DIR.`);
      }
      if (isDatabase) refuseLeftovers(original);
    }
    // The database comes last: without it a start finds an empty directory.
    for (const { original, copy, isDatabase } of present.toReversed()) {
      const write = (draft: string) => {
        copyFileSync(copy, draft);
        chmodSync(draft, 0o600);
        if (isDatabase) checkDatabase(draft);
      };
      writeDurably(original, write, { existing: "refuse" });
      made.push(original);
    }
    return made.toReversed();
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    throw error;
  } finally {
    lock.release();
  }
}

/** @throws {Error} if a log of an earlier database is there: SQLite would apply it to the restored one */
function refuseLeftovers(database: string): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    if (!existsSync(database + suffix)) continue;
    throw new Error(
      `${database}${suffix} is left of an earlier database and would change the restored one: move it away first.`,
    );
  }
}

/** @returns which file is missing beside a database's copy, and why it matters; null if none is */
function missingFile(backup: string, isSecretGiven: boolean): string | null {
  const { database, localLedger, mintSecret } = backupFiles(backup);
  const contents = inspectDatabase(database);
  if (!isSecretGiven && needsMintSecret(contents) && !existsSync(mintSecret)) {
    return (
      `${mintSecret} is missing: with another secret, launches in progress could be deployed a ` +
      "second time. Put it beside the backup; it is the server's mint.secret, or MINT_SECRET."
    );
  }
  if (contents.binding?.chain === "local" && !existsSync(localLedger)) {
    return (
      `${localLedger} is missing: it is the sandbox's chain, without which its tokens are nowhere. ` +
      "Put it beside the backup; it is made with it."
    );
  }
  return null;
}
