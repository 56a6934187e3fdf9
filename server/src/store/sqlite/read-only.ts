import { Database as SqliteDatabase } from "bun:sqlite";
import { existsSync } from "node:fs";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Store } from "../store.ts";
import { SqliteImageStore } from "./images.ts";
import { migrations } from "./migrate.ts";
import * as schema from "./schema.ts";
import { SqliteTokenStore } from "./tokens.ts";

/**
 * Opens the tokens and images of a database that a server may be working on. Every write fails.
 *
 * @throws {Error} if there is no database, or another version of the program wrote it
 */
export function openReadOnly(path: string): Pick<Store, "tokens" | "images" | "close"> {
  if (!existsSync(path)) throw new Error(`There is no database ${path}: set DATA_DIR.`);
  const client = new SqliteDatabase(path, { readonly: true, strict: true });
  const { user_version: version } = client.query("pragma user_version").get() as {
    user_version: number;
  };
  if (version !== migrations.length) {
    client.close();
    throw new Error(
      `${path} has version ${version}, and this program reads ${migrations.length}: use the program of its server.`,
    );
  }
  const db = drizzle({ client, schema });
  return {
    tokens: new SqliteTokenStore(db),
    images: new SqliteImageStore(db),
    close: async () => client.close(),
  };
}
