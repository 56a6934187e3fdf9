import { Database as SqliteDatabase } from "bun:sqlite";
import { existsSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { ChainBindings } from "../chain-binding.ts";
import { Collections } from "../collections.ts";
import { Images } from "../images.ts";
import type { Store } from "../store.ts";
import { Tokens } from "../tokens.ts";
import { openReader } from "./database.ts";
import { migrations } from "./migrate.ts";
import { SqliteDatabase as BothDatabase } from "./sqlite-database.ts";

/** What a process reads that works beside the server. */
type Beside = Pick<Store, "tokens" | "images" | "collections" | "chainBinding" | "close">;

/**
 * How long a process beside the server waits for its lock, in milliseconds. The server holds it for one
 * commit at a time.
 */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens a database that a server may be working on. Every write fails.
 *
 * @throws {Error} if there is no database, or another version of the program wrote it
 */
export function openReadOnly(path: string): Beside {
  return openBeside(path, { readonly: true });
}

/**
 * Opens a database that a server may be working on, to write to it too. Its log lets two processes do so:
 * one waits while the other one commits.
 *
 * @throws {Error} if there is no database, or another version of the program wrote it
 */
export function openShared(path: string): Beside {
  return openBeside(path, { readwrite: true });
}

function openBeside(path: string, mode: { readonly: true } | { readwrite: true }): Beside {
  if (!existsSync(path)) throw new Error(`There is no database ${path}: set DATA_DIR.`);
  const client = new SqliteDatabase(path, { ...mode, strict: true });
  client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  client.run("pragma synchronous = full");
  client.run("pragma foreign_keys = on");
  const { user_version: version } = client.query("pragma user_version").get() as {
    user_version: number;
  };
  if (version !== migrations.length) {
    client.close();
    throw new Error(
      `${path} has version ${version}, and this program reads ${migrations.length}: use the program of its server.`,
    );
  }
  const both = new BothDatabase(client, openReader(path), systemClock);
  return {
    tokens: new Tokens(both),
    images: new Images(both),
    collections: new Collections(both),
    chainBinding: new ChainBindings(both),
    close: () => both.close(),
  };
}
