import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";

export interface SqliteLock {
  release(): void;
}

/** Takes a write lock, which a crash releases. @throws {Error} `inUse`: another process holds it */
export function takeLock(path: string, inUse: string): SqliteLock {
  const client = new Database(path, { create: true });
  try {
    client.run("pragma busy_timeout = 0");
    client.run("begin exclusive");
  } catch (cause) {
    client.close();
    throw isBusy(cause) ? new Error(inUse, { cause }) : cause;
  }
  return { release: () => client.close() };
}

export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const client = new Database(path, { readonly: true });
  try {
    client.run("pragma busy_timeout = 0");
    client.query("select 1 from sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    client.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === "SQLITE_BUSY";
}
