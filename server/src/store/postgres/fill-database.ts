import pg from "pg";
import { POSTGRES_TYPES } from "../database.ts";
import type { MovedRow, MovedTable } from "../moved-tables.ts";
import { isLost } from "./faults.ts";
import { migrate, TABLES } from "./migrate.ts";
import { withConnection } from "./primary.ts";

/**
 * Fills an empty database in one transaction, and leaves it empty if `work` throws.
 * @throws {Error} if it has rows, or cannot be used; and what `work` throws
 */
export function fillEmptyDatabase<T>(url: string, work: (writer: TableWriter) => Promise<T>) {
  return withConnection(url, async (client) => {
    try {
      await migrate(client);
      await client.query("begin isolation level read committed; set local bytea_output = hex");
      // A server that starts now waits, and then finds the moved rows.
      await client.query(`lock table ${TABLES.join(", ")} in access exclusive mode`);
      await refuseRows(client);
      const result = await work(new TableWriter(client));
      await client.query("commit").catch((cause: Error) => {
        if (cause instanceof pg.DatabaseError && !isLost(cause)) throw cause;
        const text = `It is not known whether the copy was kept: ${cause.message}. Repeat it into an empty database (dropdb, createdb).`;
        throw new Error(text, { cause });
      });
      return result;
    } catch (cause) {
      if (!(cause instanceof pg.DatabaseError)) throw cause;
      // Other details contain whole rows.
      const where = cause.table === undefined ? "" : ` in the table ${cause.table}`;
      throw new Error(
        `PostgreSQL refused the copy${where}: ${cause.message}. Nothing was kept there.`,
        { cause },
      );
    }
  });
}

/** Writes whole tables, and reads them back with different SQL. */
export class TableWriter {
  /** @param client in a transaction, without timeouts */
  constructor(private readonly client: pg.ClientBase) {}

  async insert({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const names = Object.keys(columns).map((column) => `"${column}"`);
    const kinds = Object.values(columns);
    const arrays = kinds.map((kind, index) => `$${index + 1}::${POSTGRES_TYPES[kind]}[]`);
    await this.client.query(
      `insert into ${name} (${names.join(", ")}) select * from unnest(${arrays.join(", ")})`,
      kinds.map((_, index) => rows.map((row) => row[index])),
    );
  }

  async setCounter({ name, counter }: MovedTable, last: string | null): Promise<void> {
    if (counter === null || last === null) return;
    const values = [name, counter, last];
    await this.client.query("select setval(pg_get_serial_sequence($1, $2), $3)", values);
  }

  async *rows({ name, columns, order, rowsAtOnce }: MovedTable): AsyncGenerator<MovedRow> {
    const texts = Object.keys(columns).map((column) => `"${column}"::text`);
    // Orders texts by their bytes, as SQLite does. The table's name is needed: a bare column name
    // would mean the text in the result.
    const places = order.map(
      (column) => `${name}."${column}"${columns[column] === "text" ? ` collate "C"` : ""}`,
    );
    await this.client.query(
      `declare moved no scroll cursor for select ${texts.join(", ")} from ${name} order by ${places.join(", ")}`,
    );
    const fetch = { text: `fetch ${rowsAtOnce} from moved`, rowMode: "array" };
    for (;;) {
      const { rows } = await this.client.query<(string | null)[]>(fetch);
      if (rows.length === 0) break;
      yield* rows;
    }
    await this.client.query("close moved");
  }
}

async function refuseRows(client: pg.Client): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await client.query(`select 1 from ${table} limit 1`);
    if (rows.length === 0) continue;
    throw new Error(
      `The database is not empty: its table ${table} has rows. Migrate into an empty one (createdb).`,
    );
  }
}
