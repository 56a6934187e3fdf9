import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";

export interface SqliteLock {
  release(): void;
}

export class LockInUseError extends Error {
  override readonly name = "LockInUseError";
}

/** By a write transaction, which the kernel ends after a crash. @throws {LockInUseError}, {Error} */
export function takeLock(path: string): SqliteLock {
  const client = new Database(path, { create: true });
  try {
    client.run("pragma busy_timeout = 0");
    client.run("begin exclusive");
  } catch (cause) {
    client.close();
    if (!isBusy(cause)) throw cause;
    throw new LockInUseError(`${path} is locked`, { cause });
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
