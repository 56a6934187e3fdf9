import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import {
  copyRegularFile,
  freeBytes,
  giveToOwner,
  openRegularFile,
  readSecret,
  writeDurably,
} from "../base/files.ts";
import { dataFiles } from "../config/config.ts";
import { checkDatabase, copyDatabase, inspectDatabase } from "../store/sqlite/files.ts";
import { lockDataDirectory, readMoved } from "./directory.ts";

/** What SQLite keeps beside a database. */
const LOGS = ["-wal", "-shm", "-journal"];

interface BackedUpFile {
  readonly original: string;
  readonly copy: string;
  readonly isDatabase: boolean;
}

/**
 * In the order of copying: the embedded chain follows the database, so that it has all its tokens.
 * Without the secret of bearer tokens (agents sign in again) and the launch keypair.
 */
function backedUpFiles(dataDir: string, backup: string): readonly BackedUpFile[] {
  const { database, localLedger, mintSecret } = dataFiles(dataDir);
  return [
    { original: database, copy: backup, isDatabase: true },
    { original: localLedger, copy: `${backup}.localnet`, isDatabase: true },
    { original: mintSecret, copy: `${backup}.mint-secret`, isDatabase: false },
  ];
}

/**
 * Copies what a server needs to continue elsewhere, even while it runs: the database to `backup`,
 * the other files next to it.
 * @param givenSecret the mint secret, if the server has no file of it
 * @throws {Error} a file already exists, or the database has moved, or it or its mint secret is
 * missing
 */
export function makeBackup(
  dataDir: string,
  backup: string,
  givenSecret: Uint8Array | null = null,
): { readonly path: string; readonly bytes: number }[] {
  const moved = readMoved(dataDir);
  if (moved !== null) throw new Error(`${moved} To back up that database, set DATABASE_URL.`);
  const [database, ...others] = backedUpFiles(dataDir, backup);
  if (!database || !existsSync(database.original)) {
    throw new Error(`No database in ${dataDir}: set DATA_DIR to the server's, or run as its user.`);
  }
  const folder = dirname(backup);
  if (!existsSync(folder)) {
    throw new Error(`There is no folder ${folder}: is its disk mounted? Nothing was written.`);
  }
  const { mintSecret } = dataFiles(dataDir);
  const hasSecret = givenSecret !== null || existsSync(mintSecret);
  if (!hasSecret && inspectDatabase(database.original).binding !== null) {
    throw new Error(
      `${mintSecret} is missing, and nothing could be restored without it. If the server is given MINT_SECRET, give it to this command too.`,
    );
  }
  const files = [database, ...others.filter(({ original }) => existsSync(original))];
  const made: string[] = [];
  try {
    for (const { original, copy, isDatabase } of files) {
      const write = isDatabase ? copyDatabase : copyFileSync;
      writeDurably(copy, (draft) => write(original, draft), { existing: "refuse" });
      made.push(copy);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    throw error;
  }
  return made.map((path) => ({ path, bytes: statSync(path).size }));
}

/** Restores all files or none. @param givenSecret the mint secret, if the backup has no file */
export function restoreBackup(
  dataDir: string,
  backup: string,
  givenSecret: Uint8Array | null = null,
): string[] {
  const present = backedUpFiles(dataDir, backup).filter(({ copy }) => isThere(copy));
  if (!isThere(backup)) throw new Error(`There is no backup ${backup}.`);
  const bytes = present.reduce((sum, { copy }) => sum + sizeOf(copy), 0);
  const missing = missingFile(backup, givenSecret !== null);
  if (missing !== null) throw new Error(missing);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const free = freeBytes(dataDir);
  if (bytes > free)
    throw new Error(`The backup has ${bytes} bytes, and the disk of ${dataDir} has ${free} left.`);
  const lock = lockDataDirectory(dataDir);
  const made: string[] = [];
  try {
    for (const { original, copy, isDatabase } of present) {
      const log = isDatabase && LOGS.map((log) => copy + log).find(isThere);
      if (log && sizeOf(log) > 0) {
        throw new Error(`${log} has commits that ${copy} lacks: make the backup by tokend backup.`);
      }
      if (isThere(original)) {
        throw new Error(`${original} exists already: restore into an empty DATA_DIR.`);
      }
      // SQLite would apply the log of an earlier database to the restored one.
      const left = isDatabase && LOGS.map((log) => original + log).find(isThere);
      if (left) {
        throw new Error(
          `${left} is left of an earlier database and would change the restored one: move it away first.`,
        );
      }
    }
    // The database comes last: until it is there, a start refuses the folder or finds it empty.
    for (const { original, copy, isDatabase } of present.toReversed()) {
      const write = (draft: string) => {
        copyRegularFile(copy, draft);
        if (isDatabase) checkDatabase(draft);
        else orExplain(`${copy} holds no mint secret`, () => readSecret(draft));
      };
      writeDurably(original, write, { existing: "refuse" });
      made.push(original);
      giveToOwner(original);
    }
    return made.toReversed();
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    throw error;
  } finally {
    lock.release();
  }
}

export const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function sizeOf(path: string): number {
  const opened = openRegularFile(path);
  if (opened === null) throw new Error(`There is no file ${path}.`);
  closeSync(opened.file);
  return opened.status.size;
}

function orExplain<T>(problem: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${problem}: ${(cause as Error).message}`, { cause });
  }
}

/** Returns which file is missing next to a database's copy and why it matters; null if none is. */
function missingFile(database: string, isSecretGiven: boolean): string | null {
  const [localLedger, mintSecret] = [`${database}.localnet`, `${database}.mint-secret`];
  const { isService, binding } = orExplain(`${database} is not a backup of tokend`, () =>
    inspectDatabase(database),
  );
  if (!isService) return `${database} is not a backup of tokend: it has no table of launches.`;
  if (!isSecretGiven && binding !== null && !isThere(mintSecret)) {
    return (
      `${mintSecret} is missing: with another secret, launches in progress could be deployed a ` +
      "second time. Put it beside the backup; it is the server's mint.secret, or MINT_SECRET."
    );
  }
  if (binding?.chain === "local" && !isThere(localLedger)) {
    return (
      `${localLedger} is missing: it is the sandbox's chain, without which its tokens are nowhere. ` +
      "Put it beside the backup; it is made with it."
    );
  }
  return null;
}
