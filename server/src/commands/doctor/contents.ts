import { existsSync } from "node:fs";
import { dataFiles, type StorageConfig } from "../../config/config.ts";
import type { DatabaseContents } from "../../data/chain-binding.ts";
import { inspectPostgres } from "../../store/postgres/inspect-database.ts";
import { inspectDatabase } from "../../store/sqlite/inspect-database.ts";

const EMPTY: DatabaseContents = { hasLaunches: false, binding: null };

/** @returns what the database says of its owner; if there is none, what an empty one says */
export async function contentsOf({
  dataDir,
  databaseUrl,
}: StorageConfig): Promise<DatabaseContents> {
  if (databaseUrl !== null) return await inspectPostgres(databaseUrl);
  const { database } = dataFiles(dataDir);
  return existsSync(database) ? inspectDatabase(database) : EMPTY;
}
