import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

/**
 * Copies an SQLite database as it is at one moment, while others go on writing to it.
 *
 * @param to an empty file, whose permissions are kept
 * @throws {Error} if there is no such database, or the copy is damaged
 */
export function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`There is no database ${from}`);
  // In WAL mode a reader blocks no writer, however long it takes.
  const source = new Database(from, { readonly: true });
  try {
    source.run("vacuum into ?", [to]);
  } finally {
    source.close();
  }
  checkDatabase(to);
}

/** @throws {Error} if a file is not an SQLite database, or is damaged */
export function checkDatabase(path: string): void {
  const client = new Database(path, { readonly: true });
  try {
    const problems = client.query("pragma integrity_check(3)").values().flat();
    if (problems.join() !== "ok") throw new Error(`${path} is damaged: ${problems.join("; ")}`);
  } finally {
    client.close();
  }
}
