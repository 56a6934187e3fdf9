import { Database as Client } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { sql } from "drizzle-orm";
import { type Clock, systemClock } from "../../base/clock.ts";
import { freeBytes } from "../../base/files.ts";
import type { Statement } from "../database.ts";
import { migrations, SchemaVersionError, statementsOf } from "../migrations.ts";
import { type DatabaseProblem, nounsOf, type Store, type StoreListeners } from "../store.ts";
import { Checkpointer } from "./checkpointer.ts";
import { SqliteDatabase } from "./database.ts";

/** Short: waiting blocks the event loop, and only an operator's command competes for the lock. */
const BUSY_TIMEOUT_MS = 100;

/** With SQLite's default of 2 MiB, every query reads a larger database from the file again. */
const CACHE_KIB = 64 * 1024;

/** From this size on, in pages (64 MiB), commits copy the log into the file themselves. */
const LOG_PAGES = 16_384;

/** With less free space the next write may fail, even if the last one succeeded. */
const MIN_FREE_BYTES = 4 * 1024 ** 2;

/**
 * Opens a database and brings it to the newest version.
 * @param path a file, created if it is missing, or `:memory:`
 * @throws {Error} if it cannot be opened, or belongs to a newer version or another program
 */
export function openDatabase(path: string): Client {
  const client = connect(path, { create: true });
  const tables = tablesOf(client);
  if (tables.length > 0 && !tables.includes("launches")) {
    throw new Error("The database is another program's: it has no table of launches.");
  }
  // Readers and the writer do not wait for each other.
  client.run("pragma journal_mode = wal");
  client.run(`pragma cache_size = -${CACHE_KIB}`);
  migrate(client);
  return client;
}

function connect(path: string, mode: object, timeoutMs = BUSY_TIMEOUT_MS): Client {
  const client = new Client(path, { ...mode, strict: true });
  client.run(`pragma busy_timeout = ${timeoutMs}`);
  // A commit is on the disk before its answer goes out. With NORMAL, the default of some builds, a
  // power cut may lose the last commits.
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
  return client;
}

function findProblem(client: Client, directory: string): DatabaseProblem | null {
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
function writeNothing(client: Client): void {
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

export function readVersion(client: Client): number {
  return Number(client.query("pragma user_version").values()[0]?.[0]);
}

export function tablesOf(client: Client): unknown[] {
  return client.query("select name from sqlite_schema where type = 'table'").values().flat();
}

/**
 * Runs each migration in its own transaction. drizzle's migrator reads a folder, which a compiled
 * binary does not have. @param known tests pass others @throws {SchemaVersionError}
 */
export function migrate(client: Client, known = migrations): void {
  const version = readVersion(client);
  if (version > known.length) throw new SchemaVersionError(version, known.length);
  known.slice(version).forEach((migration, index) => {
    client
      .transaction(() => {
        for (const statement of statementsOf(migration)) client.run(statement);
        client.run(`pragma user_version = ${version + index + 1}`);
      })
      .immediate();
  });
}

/** How long another process waits for the server's lock, which is held for one commit at a time. */
const BESIDE_TIMEOUT_MS = 10_000;

const PING: Statement<unknown> = () => sql`select 1 from launches limit 1`;

/** Opens a database, and creates it if it is missing. @param clock the time of leases and days */
export function openSqliteStore(
  path: string,
  { clock, ...listeners }: StoreListeners & { readonly clock: Clock },
): Store {
  const client = openDatabase(path);
  const checkpointer = new Checkpointer(path);
  client.run(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  const database = new SqliteDatabase(client, clock, () => checkpointer.ask());
  return {
    ...nounsOf(database, listeners),
    clock,
    ping: () => database.read(async (session) => void (await session.get(PING))),
    findProblem: () => database.write(async () => findProblem(client, dirname(path))),
    close: () => checkpointer.stop().then(() => database.close()),
  };
}

/**
 * Opens a database beside its server. If both write, one waits while the other commits.
 * @throws {Error} if there is no database, or another version of the program wrote it
 */
export function openBeside(
  path: string,
  { isReadOnly }: { readonly isReadOnly: boolean },
): Pick<Store, "tokens" | "images" | "collections" | "chainBinding" | "close"> {
  if (!existsSync(path)) throw new Error(`There is no database ${path}: set DATA_DIR.`);
  const mode = isReadOnly ? { readonly: true } : { readwrite: true };
  const client = connect(path, mode, BESIDE_TIMEOUT_MS);
  const version = readVersion(client);
  if (version !== migrations.length) {
    client.close();
    throw new SchemaVersionError(version);
  }
  const database = new SqliteDatabase(client, systemClock);
  return { ...nounsOf(database), close: () => database.close() };
}
