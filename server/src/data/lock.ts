import { join } from "node:path";
import { isLocked, LockInUseError, type SqliteLock, takeLock } from "../base/sqlite-lock.ts";

/**
 * Takes a data directory for this process alone.
 *
 * @throws {Error} if another server runs on it, or it cannot be written
 */
export function lockDataDirectory(directory: string): SqliteLock {
  try {
    return takeLock(lockFile(directory));
  } catch (error) {
    if (!(error instanceof LockInUseError)) throw error;
    throw new Error(
      `Another tokend is running on ${directory}. Stop it first, or give this one its own DATA_DIR.`,
      { cause: error },
    );
  }
}

/** @returns whether a server, of this process or another, runs on a data directory; makes no file */
export function isDataDirectoryLocked(directory: string): boolean {
  return isLocked(lockFile(directory));
}

/**
 * Takes the right to collect on a data directory, beside a server. The data cannot be moved
 * while it is held.
 *
 * @throws {Error} if another process has it, or the folder cannot be written
 */
export function lockCollecting(directory: string): SqliteLock {
  try {
    return takeLock(join(directory, "collect.lock"));
  } catch (error) {
    if (!(error instanceof LockInUseError)) throw error;
    throw new Error(`Another tokend collect is running on ${directory}: wait until it ends.`, {
      cause: error,
    });
  }
}

const lockFile = (directory: string) => join(directory, "tokend.lock");
