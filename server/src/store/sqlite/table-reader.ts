import { Database } from "bun:sqlite";
import type { MovedRow, MovedTable } from "../moved-tables.ts";

type SqliteValue = string | bigint | Uint8Array | null;

/** Reads whole tables in order, for a move to another engine. Nothing may write at the same time. */
export class TableReader implements Disposable {
  readonly #client: Database;

  /** @param path of a database of the newest version */
  constructor(path: string) {
    // A double would be exact only up to 2⁵³.
    this.#client = new Database(path, { readonly: true, safeIntegers: true });
  }

  count({ name }: MovedTable): number {
    return Number(this.#one(`select count(*) as value from ${name}`) ?? 0);
  }

  /** @returns the last number that a table's counter has given out; null if there is none */
  counter({ name, counter }: MovedTable): bigint | null {
    if (counter === null) return null;
    // Only a table with `autoincrement` is listed; others go on after their last row.
    return (
      this.#one(`select seq as value from sqlite_sequence where name = '${name}'`) ??
      this.#one(`select max("${counter}") as value from ${name}`)
    );
  }

  /** Yields all rows in order. */
  *rows({ name, columns, order }: MovedTable): Generator<MovedRow> {
    const kinds = Object.values(columns);
    const quoted = (names: readonly string[]) => names.map((column) => `"${column}"`).join(", ");
    const statement = this.#client.query<Record<string, SqliteValue>, []>(
      `select ${quoted(Object.keys(columns))} from ${name} order by ${quoted(order)}`,
    );
    for (const row of statement.iterate()) {
      yield Object.values(row).map((value, index) =>
        // SQLite keeps lamports as text.
        kinds[index] === "lamports" && typeof value === "string" ? BigInt(value) : value,
      );
    }
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  #one(sql: string): bigint | null {
    return this.#client.query<{ value: bigint | null }, []>(sql).get()?.value ?? null;
  }
}
