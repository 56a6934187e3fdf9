import { Database as SqliteDatabase } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { migrate, migrations } from "./migrate.ts";
import * as schema from "./schema.ts";

export type Database = BunSQLiteDatabase<typeof schema> & { $client: SqliteDatabase };

/**
 * Milliseconds to wait for another's lock. Only an operator's sqlite3 competes for it, and waiting
 * stands in everyone's way: it blocks the event loop.
 */
const BUSY_TIMEOUT_MS = 100;

/**
 * Kibibytes of the file that SQLite keeps in memory; its own 2 MiB are read anew at every look into
 * a database of some size. SQLite drops what another process has changed.
 */
const CACHE_KIB = 64 * 1024;

/**
 * Pages of the write-ahead log, 64 MiB, from which on commits copy it into the file themselves: far
 * more than is ever left there by the checkpointer, which else does that.
 */
const LOG_PAGES = 16_384;

/**
 * Opens the service's database and brings it to the newest version.
 *
 * @param path a file, made when missing, or `:memory:`
 * @throws {Error} where the file cannot be opened or belongs to a newer version
 */
export function openDatabase(path: string): Database {
  const client = new SqliteDatabase(path, { create: true, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Readers and the writer do not wait for each other.
  client.run("pragma journal_mode = wal");
  // A commit is on the disk before its answer goes out: WAL's default (NORMAL) may lose the last
  // ones with the power.
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
  client.run(`pragma cache_size = -${CACHE_KIB}`);
  client.run(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  migrate(client);
  return drizzle({ client, schema });
}

/**
 * Commits a write that changes nothing. Waits for nobody's lock.
 *
 * @throws {Error} where the database takes no writes now, with SQLite's `code`
 */
export function checkWritable({ $client: client }: Database): void {
  client.run("pragma busy_timeout = 0");
  try {
    // Writes the database's first page, be its content new or not.
    client.transaction(() => client.run(`pragma user_version = ${migrations.length}`)).immediate();
  } finally {
    client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
