import { Database as SqliteDatabase } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { migrate, migrations, refuseForeign } from "./migrate.ts";

export type Database = BunSQLiteDatabase & { $client: SqliteDatabase };

/**
 * Milliseconds to wait for another process's lock. Only an operator's sqlite3 competes for it, and
 * to wait blocks the event loop.
 */
const BUSY_TIMEOUT_MS = 100;

/**
 * Kibibytes of the file that SQLite keeps in memory. With its default of 2 MiB it reads a larger
 * database from the file again for every query. SQLite drops pages that another process has
 * changed.
 */
const CACHE_KIB = 64 * 1024;

/**
 * Size of the write-ahead log, in pages (64 MiB), above which a commit copies it into the file. The
 * checkpointer normally does that, and keeps the log far smaller.
 */
const LOG_PAGES = 16_384;

/**
 * Opens the service's database and brings it to the newest version.
 *
 * @param path a file, created if it is missing, or `:memory:`
 * @throws {Error} if the file cannot be opened or belongs to a newer version or another program
 */
export function openDatabase(path: string): Database {
  const client = new SqliteDatabase(path, { create: true, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  refuseForeign(client);
  // Readers and the writer do not wait for each other.
  client.run("pragma journal_mode = wal");
  // A commit is on the disk before its answer goes out: with NORMAL, the default of WAL, a power
  // cut may lose the last commits.
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
  client.run(`pragma cache_size = -${CACHE_KIB}`);
  client.run(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  migrate(client);
  return drizzle({ client });
}

/** Opens a second connection of a database, which only reads. */
export function openReader(path: string): SqliteDatabase {
  const client = new SqliteDatabase(path, { readonly: true, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return client;
}

/**
 * Migrates a database that is not in use to the newest version.
 *
 * @throws {Error} if it cannot be opened or belongs to a newer version
 */
export function upgradeDatabase(path: string): void {
  openDatabase(path).$client.close();
}

/**
 * Commits a write that changes nothing. Does not wait for a lock.
 *
 * @throws {Error} if the database takes no writes now, with SQLite's `code`
 */
export function checkWritable({ $client: client }: Database): void {
  client.run("pragma busy_timeout = 0");
  try {
    // Writes the database's first page, even if the number does not change.
    client.transaction(() => client.run(`pragma user_version = ${migrations.length}`)).immediate();
  } finally {
    client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
