import type pg from "pg";
import type { MovedRow, MovedTable, TableSummary } from "../moved-tables.ts";
import { TableDigest } from "../table-digest.ts";
import type { ValueKind } from "../value-kind.ts";
import { TYPES } from "./schema.ts";

/** Writes whole tables, and reads them back by other SQL than it wrote them with. */
export class TableWriter {
  readonly #client: pg.ClientBase;

  /** @param client in a transaction, without timeouts */
  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async insert({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const names = Object.keys(columns).map((column) => `"${column}"`);
    const kinds = Object.values(columns);
    const arrays = kinds.map((kind, index) => `$${index + 1}::${TYPES[kind]}[]`);
    const values = kinds.map((_, index) => rows.map((row) => written(row[index] ?? null)));
    await this.#client.query(
      `insert into ${name} (${names.join(", ")}) select * from unnest(${arrays.join(", ")})`,
      values,
    );
  }

  /** Lets the counter continue after the last number that was given out. */
  async setCounter({ name, counter }: MovedTable, last: bigint | null): Promise<void> {
    if (counter === null || last === null) return;
    await this.#client.query("select setval(pg_get_serial_sequence($1, $2), $3)", [
      name,
      counter,
      last,
    ]);
  }

  async summarize(table: MovedTable): Promise<TableSummary> {
    const kinds = Object.values(table.columns);
    const digest = new TableDigest();
    await this.#client.query(`declare moved no scroll cursor for ${selection(table)}`);
    for (;;) {
      const { rows } = await this.#client.query<(string | null)[]>({
        text: `fetch ${table.rowsAtOnce} from moved`,
        rowMode: "array",
      });
      if (rows.length === 0) break;
      for (const row of rows) {
        digest.add(row.map((value, index) => read(kinds[index] as ValueKind, value)));
      }
    }
    await this.#client.query("close moved");
    return {
      rows: digest.rows,
      checksum: digest.checksum(),
      counter: await this.#counter(table),
    };
  }

  async #counter({ name, counter }: MovedTable): Promise<bigint | null> {
    if (counter === null) return null;
    const sequence = await this.#client.query<{ name: string }>(
      "select pg_get_serial_sequence($1, $2) as name",
      [name, counter],
    );
    const { rows } = await this.#client.query<{ last: string | null }>(
      `select case when is_called then last_value::text end as last from ${sequence.rows[0]?.name}`,
    );
    const last = rows[0]?.last ?? null;
    return last === null ? null : BigInt(last);
  }
}

/** All values as texts, in the order of their bytes, which is SQLite's. */
function selection({ name, columns, order }: MovedTable): string {
  const texts = Object.entries(columns).map(([column, kind]) =>
    kind === "bytes" ? `encode("${column}", 'hex')` : `"${column}"::text`,
  );
  // With the table's name: a name alone is that of the text in the result.
  const places = order.map((column) =>
    columns[column] === "text" ? `${name}."${column}" collate "C"` : `${name}."${column}"`,
  );
  return `select ${texts.join(", ")} from ${name} order by ${places.join(", ")}`;
}

function written(value: MovedRow[number]): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return value;
  return value === null ? null : Buffer.from(value);
}

function read(kind: ValueKind, text: string | null): MovedRow[number] {
  if (text === null || kind === "text") return text;
  return kind === "bytes" ? Buffer.from(text, "hex") : BigInt(text);
}
