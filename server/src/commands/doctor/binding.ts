import { existsSync } from "node:fs";
import { dataFiles, type StorageConfig } from "../../config/config.ts";
import type { ChainBinding } from "../../store/chain-binding-store.ts";
import { inspectPostgres } from "../../store/postgres/inspect-database.ts";
import { inspectDatabase } from "../../store/sqlite/inspect-database.ts";

/** @returns what the database belongs to; null before the first start */
export async function bindingOf({
  dataDir,
  databaseUrl,
}: StorageConfig): Promise<ChainBinding | null> {
  if (databaseUrl !== null) return (await inspectPostgres(databaseUrl)).binding;
  const { database } = dataFiles(dataDir);
  return existsSync(database) ? inspectDatabase(database).binding : null;
}
