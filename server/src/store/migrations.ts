import init from "./migrations/0000_init.sql" with { type: "text" };

/**
 * All migrations in order, which drizzle-kit writes for SQLite and `postgres/migrate.ts`
 * translates. A database's version is the number of migrations that it has had.
 */
export const migrations: readonly string[] = [init];

export function statementsOf(migration: string): string[] {
  return migration.split("--> statement-breakpoint").map((statement) => statement.trim());
}

/** Returns why a program that must not migrate a database cannot use it; null if it can. */
export function versionProblem(name: string, version: number): string | null {
  const known = migrations.length;
  if (version === known) return null;
  return `${name} has version ${version}, and this program reads ${known}: use the program of its server.`;
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
