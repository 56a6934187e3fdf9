import { Database as Client } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { sql } from "drizzle-orm";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Statement } from "../database.ts";
import { migrations } from "../migrations.ts";
import { nounsOf, type Store, type StoreListeners } from "../store.ts";
import { findProblem, openDatabase, openReader, readVersion, requireDurable } from "./database.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

/** How long another process waits for the server's lock, which is held for one commit at a time. */
const BUSY_TIMEOUT_MS = 10_000;

const PING: Statement<unknown> = () => sql`select 1 from launches limit 1`;

/** Opens a database, and creates it if it is missing. @param clock the time of leases and days */
export function openSqliteStore(
  path: string,
  { clock, ...listeners }: StoreListeners & { readonly clock: Clock },
): Store {
  const client = openDatabase(path);
  const database = new SqliteDatabase(client, openReader(path), clock);
  return {
    ...nounsOf(database, listeners),
    clock,
    ping: () => database.read(async (session) => void (await session.get(PING))),
    findProblem: () => database.write(async () => findProblem(client, dirname(path))),
    close: () => database.close(),
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
  const client = new Client(path, { ...mode, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  requireDurable(client);
  const version = readVersion(client);
  if (version !== migrations.length) {
    client.close();
    throw new Error(
      `${path} has version ${version}, and this program reads ${migrations.length}: use the program of its server.`,
    );
  }
  const database = new SqliteDatabase(client, openReader(path), systemClock);
  return { ...nounsOf(database), close: () => database.close() };
}
