import type { Database } from "bun:sqlite";
import { migrations, NewerSchemaError, statementsOf } from "../migrations.ts";

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
 * not have. @param known tests give others @throws {NewerSchemaError}
 */
export function migrate(client: Database, known = migrations): void {
  const version = readVersion(client);
  if (version > known.length) throw new NewerSchemaError(version, known.length);
  known.slice(version).forEach((migration, index) => {
    client
      .transaction(() => {
        for (const statement of statementsOf(migration)) client.run(statement);
        client.run(`pragma user_version = ${version + index + 1}`);
      })
      .immediate();
  });
}
