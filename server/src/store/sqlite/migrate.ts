import type { Database } from "bun:sqlite";
import init from "./migrations/0000_init.sql" with { type: "text" };

/** All migrations in order; drizzle-kit writes them, and the index here is the version. */
export const migrations: readonly string[] = [init];

export function readVersion(client: Database): number {
  return (
    client
      .query<{ version: number }, []>("select user_version as version from pragma_user_version")
      .get()?.version ?? 0
  );
}

export function tablesOf(client: Database): unknown[] {
  return client.query("select name from sqlite_schema where type = 'table'").values().flat();
}

/** @throws {Error} if a file has another program's tables: this one would add its own */
export function refuseForeign(client: Database): void {
  const tables = tablesOf(client);
  if (tables.length === 0 || tables.includes("launches")) return;
  throw new Error("The database is another program's: it has no table of launches.");
}

/**
 * Each migration in a transaction of its own. drizzle's migrator reads a folder, which a compiled binary does
 * not have. @param known tests give others @throws {Error} if a newer version wrote the database
 */
export function migrate(client: Database, known = migrations): void {
  const version = readVersion(client);
  if (version > known.length) {
    throw new Error(
      `The database has version ${version}; this program knows ${known.length}. ` +
        "Start the newer program that wrote it, or restore a backup made before the upgrade.",
    );
  }
  known.slice(version).forEach((migration, index) => {
    client
      .transaction(() => {
        for (const statement of migration.split("--> statement-breakpoint")) client.run(statement);
        client.run(`pragma user_version = ${version + index + 1}`);
      })
      .immediate();
  });
}
