import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Held for the life of a server; the operating system lets go of it however the process ends. */
export interface DataDirectoryLock {
  release(): void;
}

/**
 * Takes a data directory for this process alone. The lock is an open SQLite write transaction on
 * `tokend.lock`: a kernel lock that no crash can leave behind.
 *
 * @throws {Error} where another process holds it, or the directory cannot be written
 */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  const client = new Database(lockFile(directory), { create: true });
  try {
    client.run("pragma busy_timeout = 0");
    client.run("begin exclusive");
  } catch (cause) {
    client.close();
    if (!(cause instanceof SQLiteError) || cause.code !== "SQLITE_BUSY") throw cause;
    throw new Error(
      `Another tokend is running on ${directory}. Stop it first, or give this one its own DATA_DIR.`,
      { cause },
    );
  }
  return { release: () => client.close() };
}

/** Whether a server, of this process or another, holds a data directory. Makes nothing there. */
export function isDataDirectoryLocked(directory: string): boolean {
  const path = lockFile(directory);
  if (!existsSync(path)) return false;
  const client = new Database(path, { readonly: true });
  try {
    client.run("pragma busy_timeout = 0");
    client.query("select 1 from sqlite_schema").get();
    return false;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    client.close();
  }
}

const lockFile = (directory: string) => join(directory, "tokend.lock");
