import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { type ChainBinding, READ_BINDING } from "../chain-binding.ts";
import { tablesOf } from "./migrate.ts";

export interface DatabaseContents {
  /** Whether it has the tables of a service. */
  readonly isService: boolean;
  /** Null before the first start. */
  readonly binding: ChainBinding | null;
}

/** Reads a database without changing it; a server may be running on it. @throws {Error} if it cannot */
export function inspectDatabase(path: string): DatabaseContents {
  using client = new Database(path, { readonly: true });
  const tables = tablesOf(client);
  const binding = tables.includes("chain_binding")
    ? client.query<ChainBinding, []>(READ_BINDING).get()
    : null;
  return { isService: tables.includes("launches"), binding };
}

/**
 * Checks a database without changing it; a server may be running on it.
 *
 * @param check `integrity_check` also compares the indexes with the rows
 * @returns the first findings, at most five; none if the database is whole
 */
export function findDamage(path: string, check = "quick_check"): string[] {
  using client = new Database(path, { readonly: true });
  const findings = client.query(`pragma ${check}(5)`).values().flat().map(String);
  return findings.filter((finding) => finding !== "ok");
}

/** @throws {Error} if a file is not an SQLite database, or is damaged */
export function checkDatabase(path: string): void {
  const damage = findDamage(path, "integrity_check");
  if (damage.length > 0) throw new Error(`${path} is damaged: ${damage.join("; ")}`);
}

/**
 * Copies a database as it is at one moment, while others go on writing to it.
 *
 * @param to an empty file, whose permissions are kept
 * @throws {Error} if there is no such database, or the copy is damaged
 */
export function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`There is no database ${from}`);
  // In WAL mode a reader blocks no writer, however long it takes.
  using source = new Database(from, { readonly: true });
  source.run("vacuum into ?", [to]);
  checkDatabase(to);
}
