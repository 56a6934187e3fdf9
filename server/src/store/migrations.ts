import init from "./migrations/0000_init.sql" with { type: "text" };

/**
 * All migrations in order; drizzle-kit writes them for SQLite, and the index here is the version. What
 * PostgreSQL makes of them: `postgres/migrate.ts`.
 */
export const migrations: readonly string[] = [init];

export function statementsOf(migration: string): string[] {
  return migration.split("--> statement-breakpoint").map((statement) => statement.trim());
}

export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  constructor(version: number, known: number) {
    super(
      `The database has version ${version}; this program knows ${known}. ` +
        "Start the newer program that wrote it, or restore a backup made before the upgrade.",
    );
  }
}
