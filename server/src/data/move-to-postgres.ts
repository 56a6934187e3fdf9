import { createHash } from "node:crypto";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { writeDurably } from "../base/files.ts";
import { parsePostgresUrl, showHost } from "../base/postgres-url.ts";
import { dataFiles, type StorageConfig } from "../config/config.ts";
import type { ChainBinding } from "../store/chain-binding.ts";
import { MOVED_TABLES, type MovedRow, type MovedTable } from "../store/moved-tables.ts";
import { fillEmptyDatabase, type TableWriter } from "../store/postgres/fill-database.ts";
import { inspectDatabase, TableReader } from "../store/sqlite/files.ts";
import { openDatabase } from "../store/sqlite/store.ts";
import { lockCollecting, lockDataDirectory, readMoved } from "./directory.ts";
import { directoryProblem } from "./owner.ts";
import { fingerprintOf, readMintSecret } from "./secrets.ts";

/**
 * Copies a stopped server's database to an empty one of PostgreSQL, in one transaction that commits
 * only if both sides read the same. Afterwards, servers do not start on the folder alone.
 */
export async function moveToPostgres(config: StorageConfig, url: string) {
  const { dataDir } = config;
  const { database, moved } = dataFiles(dataDir);
  const earlier = readMoved(dataDir);
  if (earlier !== null) throw new Error(`${earlier} Nothing was copied.`);
  const target = parsePostgresUrl(url);
  if (!existsSync(database)) {
    throw new Error(`No database in ${dataDir}: set DATA_DIR to the server's, or run as its user.`);
  }
  if (!statSync(database).isFile()) throw new Error(`${database} is not a regular file.`);
  await using locks = new AsyncDisposableStack();
  const lock = lockDataDirectory(dataDir);
  locks.defer(() => lock.release());
  const collecting = lockCollecting(dataDir);
  locks.defer(() => collecting.release());
  openDatabase(database).close();
  const binding = bindingToMove(config);
  using reader = new TableReader(database);
  const tables = await fillEmptyDatabase(url, async (writer) => {
    const copied: { readonly name: string; readonly rows: number }[] = [];
    for (const table of MOVED_TABLES) {
      await copyTable(table, reader, writer);
      const summary = await summaryOf(writer.rows(table));
      const original = await summaryOf(reader.rows(table));
      for (const part of ["rows", "checksum"] as const) {
        if (original[part] === summary[part]) continue;
        throw new Error(
          `The copy of ${table.name} differs in its ${part}: ${original[part]} in SQLite, ${summary[part]} in PostgreSQL. Nothing was kept there.`,
        );
      }
      copied.push({ name: table.name, rows: summary.rows });
    }
    return copied;
  });
  const to = `${target.hosts.map(showHost).join(",")}/${target.database}`;
  const text = `${dataDir} was moved to PostgreSQL (${to}) by tokend migrate.\n`;
  writeDurably(moved, (draft) => writeFileSync(draft, text), { existing: "replace" });
  return { tables, binding };
}

function bindingToMove(config: StorageConfig): ChainBinding {
  const { database, mintSecret } = dataFiles(config.dataDir);
  const { binding } = inspectDatabase(database);
  if (binding?.chain === "local") {
    throw new Error(
      `${config.dataDir} is a sandbox's (CHAIN=local): its chain is inside one process, so servers cannot share it.`,
    );
  }
  if (binding === null) {
    throw new Error(
      `${database} belongs to no chain yet: no server has started on it, so there is nothing to migrate.`,
    );
  }
  const problem = directoryProblem({ ...config, chain: binding }, binding);
  if (problem !== null) throw new Error(problem);
  const secret = readMintSecret(config);
  if (secret === null || binding.mintSecretFingerprint !== fingerprintOf(secret)) {
    throw new Error(
      `${mintSecret} or MINT_SECRET is not the mint secret of the launches in ${database}: put that one back.`,
    );
  }
  return binding;
}

async function copyTable(table: MovedTable, reader: TableReader, writer: TableWriter) {
  let batch: MovedRow[] = [];
  for (const row of reader.rows(table)) {
    if (batch.push(row) < table.rowsAtOnce) continue;
    await writer.insert(table, batch);
    batch = [];
  }
  if (batch.length > 0) await writer.insert(table, batch);
  await writer.setCounter(table, reader.counter(table));
}

/** Counts the rows, and hashes all values in their order: each engine does so for its own table. */
async function summaryOf(all: Iterable<MovedRow> | AsyncIterable<MovedRow>) {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const row of all) {
    // JSON keeps one value from looking like two.
    hash.update(`${JSON.stringify(row)}\n`);
    rows++;
  }
  return { rows, checksum: hash.digest("hex") };
}
