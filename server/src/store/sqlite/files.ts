import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { type ChainBinding, READ_BINDING } from "../chain-binding.ts";
import type { MovedRow, MovedTable } from "../moved-tables.ts";
import { readVersion, tablesOf } from "./store.ts";

/** Works while the server runs. Before its first start there is no binding. */
export function inspectDatabase(path: string) {
  using client = new Database(path, { readonly: true });
  const tables = tablesOf(client);
  const binding = tables.includes("chain_binding")
    ? client.query<ChainBinding, []>(READ_BINDING).get()
    : null;
  return { isService: tables.includes("launches"), binding, version: readVersion(client) };
}

/**
 * Checks a database, even while a server runs on it. Returns at most five findings.
 * @param check `integrity_check` also compares the indexes with the rows
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
 * Copies a database as it is at one moment, even while others write to it.
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

/** Reads whole tables in order, to move them to another engine while nothing writes. */
export class TableReader implements Disposable {
  readonly #client: Database;

  constructor(path: string) {
    this.#client = new Database(path, { readonly: true });
  }

  counter({ name, counter }: MovedTable): string | null {
    if (counter === null) return null;
    // Lists only tables with `autoincrement`; other tables continue after their last row.
    return (
      this.#one(`select seq from sqlite_sequence where name = '${name}'`) ??
      this.#one(`select max("${counter}") from ${name}`)
    );
  }

  *rows({ name, columns, order }: MovedTable): Generator<MovedRow> {
    const texts = Object.entries(columns).map(([column, kind]) =>
      // The hex of null is empty.
      kind === "blob"
        ? `case when "${column}" is not null then '\\x' || lower(hex("${column}")) end`
        : `cast("${column}" as text)`,
    );
    const places = order.map((column) => `"${column}"`);
    const statement = this.#client.query<Record<string, string | null>, []>(
      `select ${texts.join(", ")} from ${name} order by ${places.join(", ")}`,
    );
    for (const row of statement.iterate()) yield Object.values(row);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  #one(value: string): string | null {
    const text = `select cast((${value}) as text) as value`;
    return this.#client.query<{ value: string | null }, []>(text).get()?.value ?? null;
  }
}
