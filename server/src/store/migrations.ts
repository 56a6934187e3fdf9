import init from "./migrations/0000_init.sql" with { type: "text" };

/**
 * All migrations in order, which drizzle-kit writes for SQLite and `postgres/migrate.ts`
 * translates. A database's version is the number of migrations that it has had.
 */
export const migrations: readonly string[] = [init];

export function statementsOf(migration: string): string[] {
  return migration.split("--> statement-breakpoint").map((statement) => statement.trim());
}

export class SchemaVersionError extends Error {
  override readonly name = "SchemaVersionError";
  constructor(version: number, known = migrations.length) {
    super(
      `The database has version ${version}; this program knows ${known}. ` +
        "Start the program that wrote it, or restore a backup made before the upgrade.",
    );
  }
}
