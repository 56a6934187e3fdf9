import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { type SqliteLock, takeLock } from "../base/files.ts";
import { dataFiles, type StorageConfig } from "../config/config.ts";

export const NO_FOLDER = "is not a folder, or a link to none: mount its disk, or name another";

export function prepareDataDirectory(path: string, log: Logger): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    const why = isFile
      ? NO_FOLDER
      : `cannot be made or written (${code}): name another, or let this user write to it`;
    throw new Error(`DATA_DIR ${path} ${why}`, { cause });
  }
  const mode = statSync(path).mode & 0o777;
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  log.warn({ mode: mode.toString(8) }, `others can read ${path}: run chmod 700 ${path}`);
}

/** Detects a lost database by the secrets that remain. @returns what to do; null if none is lost */
export function lossProblem({ dataDir, databaseUrl }: StorageConfig): string | null {
  const { database, mintSecret, jwtSecret, localLedger } = dataFiles(dataDir);
  const bytes = statSync(database, { throwIfNoEntry: false })?.size;
  const left = [mintSecret, jwtSecret, localLedger].filter((path) => existsSync(path));
  if (databaseUrl !== null || (bytes ?? 0) > 0 || left.length === 0) return null;
  return (
    `${database} is ${bytes === undefined ? "missing" : "empty"} beside ${left.join(", ")}: there was a ` +
    "database, and a start without it would forget all launches. Restore a backup into an empty DATA_DIR " +
    "(tokend restore <file>). To start for the first time with secrets that you made: tokend serve --new-database"
  );
}

/** Returns where `tokend migrate` has moved a folder's database; null if it has not. */
export function readMoved(dataDir: string): string | null {
  const { moved } = dataFiles(dataDir);
  return existsSync(moved) ? readFileSync(moved, "utf8").trim() : null;
}

export function lockDataDirectory(directory: string): SqliteLock {
  return takeLock(
    join(directory, "tokend.lock"),
    `Another tokend is running on ${directory}. Stop it first, or give this one its own DATA_DIR.`,
  );
}

export function lockCollecting(directory: string): SqliteLock {
  const inUse = `Another tokend collect is running on ${directory}: wait until it ends.`;
  return takeLock(join(directory, "collect.lock"), inUse);
}
