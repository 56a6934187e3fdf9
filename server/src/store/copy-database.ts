import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

/**
 * Copies an SQLite database as it is at one moment, while others go on writing to it.
 *
 * @param to an empty file, whose permissions are kept
 * @throws {Error} where there is no such database, or what was copied is not whole
 */
export function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`There is no database ${from}`);
  // A reader of a database in WAL mode stands in nobody's way, however long it takes.
  const source = new Database(from, { readonly: true });
  try {
    source.run("vacuum into ?", [to]);
  } finally {
    source.close();
  }
  checkDatabase(to);
}

/** @throws {Error} where a file is no whole SQLite database */
export function checkDatabase(path: string): void {
  const client = new Database(path, { readonly: true });
  try {
    const problems = client.query("pragma integrity_check(3)").values().flat();
    if (problems.join() !== "ok") throw new Error(`${path} is damaged: ${problems.join("; ")}`);
  } finally {
    client.close();
  }
}
