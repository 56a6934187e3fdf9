import { Database } from "bun:sqlite";
import type { MovedRow, MovedTable } from "../moved-tables.ts";

/** Reads whole tables in order, for a move to another engine. Nothing may write at the same time. */
export class TableReader implements Disposable {
  readonly #client: Database;

  /** @param path of a database of the newest version */
  constructor(path: string) {
    this.#client = new Database(path, { readonly: true });
  }

  count({ name }: MovedTable): number {
    return Number(this.#one(`select count(*) from ${name}`));
  }

  /** @returns the last number that a table's counter has given out; null if there is none */
  counter({ name, counter }: MovedTable): string | null {
    if (counter === null) return null;
    // Only a table with `autoincrement` is listed; others go on after their last row.
    return (
      this.#one(`select seq from sqlite_sequence where name = '${name}'`) ??
      this.#one(`select max("${counter}") from ${name}`)
    );
  }

  *rows({ name, columns, order }: MovedTable): Generator<MovedRow> {
    const texts = Object.entries(columns).map(([column, kind]) =>
      // The hex of null is empty.
      kind === "bytes"
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
