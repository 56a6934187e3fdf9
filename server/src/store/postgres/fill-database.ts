import pg from "pg";
import { MOVED_TABLES } from "../moved-tables.ts";
import { withConnection } from "./connect-alone.ts";
import { SQLSTATE } from "./faults.ts";
import { migrate, NewerSchemaError, readVersion } from "./migrate.ts";
import { TableWriter } from "./table-writer.ts";

/** What is left as it is only if it is empty: all tables of the service but its version's. */
const TABLES = [...MOVED_TABLES.map(({ name }) => name), "used_nonces"];

/**
 * Fills an empty database, in one transaction: if `work` throws, nothing of it stays. The tables are
 * made before; a database that has them without rows is empty.
 *
 * @returns what `work` returns
 * @throws {Error} if the database is not empty, or cannot be used; and what `work` throws
 */
export function fillEmptyDatabase<T>(
  url: string,
  work: (writer: TableWriter) => Promise<T>,
): Promise<T> {
  return withConnection(url, async (client) => {
    try {
      await refuseOthersTables(client);
      await migrate(client);
      await client.query("begin isolation level read committed");
      // A server that starts now waits, and then finds what was moved.
      await client.query(`lock table ${TABLES.join(", ")} in access exclusive mode`);
      await refuseRows(client);
      const result = await work(new TableWriter(client));
      await commit(client);
      return result;
    } catch (error) {
      throw explain(error);
    }
  });
}

/** @throws {Error} if the database has tables, and they are not this service's */
async function refuseOthersTables(client: pg.Client): Promise<void> {
  if ((await readVersion(client)) > 0) return;
  const { rows } = await client.query(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     limit 1`,
  );
  if (rows.length > 0) {
    throw new Error("The database has other tables: migrate into an empty one (createdb).");
  }
}

/** @throws {Error} if a table has a row */
async function refuseRows(client: pg.Client): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await client.query(`select 1 from ${table} limit 1`);
    if (rows.length === 0) continue;
    throw new Error(
      `The database is not empty: its table ${table} has rows. Migrate into an empty one (createdb).`,
    );
  }
}

async function commit(client: pg.Client): Promise<void> {
  try {
    await client.query("commit");
  } catch (cause) {
    if (cause instanceof pg.DatabaseError) throw cause;
    throw new Error(
      "The connection was lost in the commit, so the copy may be there or not: migrate again, " +
        "which copies it or says that the database is not empty.",
      { cause },
    );
  }
}

function explain(cause: unknown): unknown {
  if (cause instanceof NewerSchemaError) return cause;
  if (!(cause instanceof pg.DatabaseError)) return cause;
  const where = cause.table === undefined ? "" : ` in the table ${cause.table}`;
  // Other details show whole rows.
  const detail = cause.code === SQLSTATE.uniqueViolation ? ` (${cause.detail})` : "";
  return new Error(
    `PostgreSQL refused the copy${where}: ${cause.message}${detail}. Nothing was kept there.`,
    { cause },
  );
}
