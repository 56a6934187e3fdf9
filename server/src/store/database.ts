import { Database as SqliteDatabase } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { migrate } from "./migrate.ts";
import * as schema from "./schema.ts";

export type Database = BunSQLiteDatabase<typeof schema> & { $client: SqliteDatabase };

/**
 * Opens the service's database and brings it to the newest version.
 *
 * @param path a file, made when missing, or `:memory:`
 * @throws {Error} where the file cannot be opened or belongs to a newer version
 */
export function openDatabase(path: string): Database {
  const client = new SqliteDatabase(path, { create: true, strict: true });
  // Only a backup or an operator's sqlite3 competes for the lock. Waiting blocks the event loop,
  // so it is short.
  client.run("pragma busy_timeout = 1000");
  // Readers and the writer do not wait for each other.
  client.run("pragma journal_mode = wal");
  // A commit is on the disk before its answer goes out: WAL's default (NORMAL) may lose the last
  // ones with the power.
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
  migrate(client);
  return drizzle({ client, schema });
}
