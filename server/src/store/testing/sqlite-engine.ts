import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { copyDatabase } from "../sqlite/files.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import type { Store, StoreListeners } from "../store.ts";
import { type Engine, START, type TestDatabase } from "./engine.ts";

interface SqliteTestDatabase extends TestDatabase {
  readonly stores: readonly Store[];
}

let directory: ReturnType<typeof tempDir> | null = null;
let filled = "";
let files = 0;

/** SQLite: each test has its own file, copied from the one with the initial rows. */
export const sqliteEngine: Engine = {
  name: "SQLite",
  isHere: true,

  start: async (fill) => {
    directory = tempDir();
    filled = join(directory.path, "filled.sqlite");
    const database = databaseAt(filled);
    await fill(database);
    for (const store of database.stores) await store.close();
  },

  open: async () => {
    if (!directory) throw new Error("the engine is not started");
    const folder = join(directory.path, `${++files}`);
    mkdirSync(folder);
    const path = join(folder, "tokend.sqlite");
    copyDatabase(filled, path);
    return databaseAt(path);
  },

  close: async (database) => {
    for (const store of (database as SqliteTestDatabase).stores) await store.close();
  },

  stop: async () => directory?.[Symbol.dispose](),
};

function databaseAt(path: string): SqliteTestDatabase {
  const clock = new ManualClock(START);
  const stores: Store[] = [];
  const openAnother = async (listeners: StoreListeners = {}) => {
    const store = openSqliteStore(path, { clock, ...listeners });
    stores.push(store);
    return store;
  };
  const first = openSqliteStore(path, { clock });
  stores.push(first);
  return {
    store: first,
    stores,
    openAnother,
    now: () => clock.now(),
    setTime: async (now) => clock.set(now),
    select: async (sql) => {
      using client = new Database(path, { readonly: true });
      return client.query<Record<string, unknown>, []>(sql).all();
    },
    execute: async (sql) => {
      using client = new Database(path);
      client.run(sql);
    },
  };
}
