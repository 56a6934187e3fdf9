import { Database } from "bun:sqlite";

/**
 * Checks an SQLite database without changing it; a server may be running on it.
 *
 * @returns the first findings, at most five; none if the database is whole
 * @throws {Error} if it cannot be read
 */
export function findDamage(path: string): string[] {
  const client = new Database(path, { readonly: true });
  try {
    const findings = client
      .query<[string], []>("pragma quick_check(5)")
      .values()
      .flat()
      .map(String);
    return findings.filter((finding) => finding !== "ok");
  } finally {
    client.close();
  }
}
