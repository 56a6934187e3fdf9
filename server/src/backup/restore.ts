import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { checkDatabase } from "../store/copy-database.ts";
import { lockDataDirectory } from "../store/lock.ts";
import { writeDurably } from "./durable-file.ts";
import { backedUpFiles } from "./files.ts";

/**
 * Puts a backup into a data directory that has no database yet.
 *
 * @returns the files that were put there
 * @throws {Error} where the directory is in use or has such files already, or the backup is not
 * whole; then nothing is left behind
 */
export function restoreBackup(dataDir: string, backup: string): string[] {
  const present = backedUpFiles(dataDir, backup).filter(({ copy }) => existsSync(copy));
  if (!existsSync(backup)) throw new Error(`There is no backup ${backup}.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(dataDir);
  const made: string[] = [];
  try {
    for (const { original } of present) {
      if (existsSync(original)) {
        throw new Error(`${original} exists already: restore into an empty DATA_DIR.`);
      }
    }
    // The database comes last: without it the directory is as good as empty.
    for (const { original, copy, isDatabase } of present.toReversed()) {
      writeDurably(original, (draft) => {
        copyFileSync(copy, draft);
        chmodSync(draft, 0o600);
        if (isDatabase) checkDatabase(draft);
      });
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
