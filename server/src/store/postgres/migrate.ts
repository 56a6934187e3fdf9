import type pg from "pg";
import init from "./migrations/0000_init.sql" with { type: "text" };
import { lockKey } from "./session.ts";

/** All migrations in order; drizzle-kit writes them, and the index here is the version. */
export const migrations: readonly string[] = [init];

/** How long a start waits for the migration of another server. */
const LOCK_TIMEOUT_MS = 60_000;

export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  constructor(version: number, known: number) {
    super(
      `The database has version ${version}; this program knows ${known}. ` +
        "Start the newer program that wrote it, or restore a backup made before the upgrade.",
    );
  }
}

/**
 * Each migration in a transaction of its own; servers that start at once take turns, by a lock that ends with
 * the transaction. drizzle's migrator reads a folder, which a compiled binary does not have. @param client
 * without timeouts @param known tests give others @throws {NewerSchemaError}
 */
export async function migrate(client: pg.ClientBase, known = migrations): Promise<void> {
  while ((await readVersion(client)) < known.length) await migrateOnce(client, known);
  const version = await readVersion(client);
  if (version > known.length) throw new NewerSchemaError(version, known.length);
}

/** @returns how many migrations the database has had; 0 for an empty one */
export async function readVersion(client: pg.ClientBase): Promise<number> {
  // Not `to_regclass`: what it remembers of a table that was missing outlives the wait for a lock.
  const { rows } = await client.query<{ known: boolean }>(
    `select exists (select 1 from pg_catalog.pg_tables
      where tablename = 'tokend_schema' and schemaname = any (current_schemas(false))) as known`,
  );
  if (!rows[0]?.known) return 0;
  const version = await client.query<{ version: number }>("select version from tokend_schema");
  return version.rows[0]?.version ?? 0;
}

async function migrateOnce(client: pg.ClientBase, known: readonly string[]): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await client.query(`select pg_advisory_xact_lock(${lockKey("migration")})`);
    // Another server may have done it while this one waited.
    const version = await readVersion(client);
    const migration = known[version];
    if (migration !== undefined) {
      const counted =
        version === 0
          ? "create table tokend_schema (version integer not null); insert into tokend_schema values (1)"
          : `update tokend_schema set version = ${version + 1}`;
      for (const statement of [...migration.split("--> statement-breakpoint"), counted]) {
        await client.query(statement);
      }
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
