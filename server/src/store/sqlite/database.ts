import { Database } from "bun:sqlite";
import { freeBytes } from "../../base/files.ts";
import { migrations, NewerSchemaError, statementsOf } from "../migrations.ts";
import type { DatabaseProblem } from "../store.ts";

/** Short: waiting blocks the event loop, and only an operator's command competes for the lock. */
const BUSY_TIMEOUT_MS = 100;

/** With SQLite's default of 2 MiB, every query reads a larger database from the file again. */
const CACHE_KIB = 64 * 1024;

/** In pages (64 MiB). The checkpointer normally keeps the log far smaller. */
const LOG_PAGES = 16_384;

/** With less free space the next write may fail, even if the last one succeeded. */
const MIN_FREE_BYTES = 4 * 1024 ** 2;

/**
 * Opens a database and brings it to the newest version.
 * @param path a file, created if it is missing, or `:memory:`
 * @throws {Error} if it cannot be opened, or belongs to a newer version or another program
 */
export function openDatabase(path: string): Database {
  const client = new Database(path, { create: true, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  refuseForeign(client);
  // Readers and the writer do not wait for each other.
  client.run("pragma journal_mode = wal");
  requireDurable(client);
  client.run(`pragma cache_size = -${CACHE_KIB}`);
  client.run(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  migrate(client);
  return client;
}

export function openReader(path: string): Database {
  const client = new Database(path, { readonly: true, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return client;
}

export function requireDurable(client: Database): void {
  // A commit is on the disk before its answer goes out. With NORMAL, the default of some builds, a
  // power cut may lose the last commits.
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
}

export function findProblem(client: Database, directory: string): DatabaseProblem | null {
  const full = "The disk is full: free some space, and launches are accepted again";
  try {
    writeNothing(client);
    return isDiskFull(directory) ? { text: full, cause: null } : null;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code.startsWith("SQLITE_FULL")) return { text: full, cause };
    const isLocked = code.startsWith("SQLITE_BUSY");
    const text = isLocked
      ? "The database is locked by another program: end that program"
      : "The database cannot be written; see the server's log";
    return { text, cause };
  }
}

/** Commits a write that changes nothing, without waiting for a lock. */
function writeNothing(client: Database): void {
  client.run("pragma busy_timeout = 0");
  try {
    // Writes the database's first page, even though the number does not change.
    client.transaction(() => client.run(`pragma user_version = ${migrations.length}`)).immediate();
  } finally {
    client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

export function isDiskFull(directory: string): boolean {
  return freeBytes(directory) < MIN_FREE_BYTES;
}

export function readVersion(client: Database): number {
  return (
    client
      .query<{ version: number }, []>("select user_version as version from pragma_user_version")
      .get()?.version ?? 0
  );
}

export function tablesOf(client: Database): unknown[] {
  return client.query("select name from sqlite_schema where type = 'table'").values().flat();
}

/** @throws {Error} if a file has another program's tables, so that ours are not added */
function refuseForeign(client: Database): void {
  const tables = tablesOf(client);
  if (tables.length === 0 || tables.includes("launches")) return;
  throw new Error("The database is another program's: it has no table of launches.");
}

/**
 * Runs each migration in its own transaction. drizzle's migrator reads a folder, which a compiled
 * binary does not have.
 * @param known the migrations; tests pass others
 * @throws {NewerSchemaError}
 */
export function migrate(client: Database, known = migrations): void {
  const version = readVersion(client);
  if (version > known.length) throw new NewerSchemaError(version, known.length);
  known.slice(version).forEach((migration, index) => {
    client
      .transaction(() => {
        for (const statement of statementsOf(migration)) client.run(statement);
        client.run(`pragma user_version = ${version + index + 1}`);
      })
      .immediate();
  });
}
