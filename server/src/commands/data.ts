import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePostgresUrl, withoutPassword } from "../base/postgres-url.ts";
import { dataFiles, readStorageConfig } from "../config/config.ts";
import { readSettings } from "../config/read-settings.ts";
import { makeBackup, restoreBackup } from "../data/backup.ts";
import { exportMetadata } from "../data/export-metadata.ts";
import { type MoveProgress, moveToPostgres } from "../data/move-to-postgres.ts";
import { openBesideServer } from "../data/open-beside.ts";

export function backup(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(dumpAdvice(databaseUrl, file));
  for (const { path, bytes } of makeBackup(dataDir, file, mintSecret)) {
    const size = bytes < 1024 ** 2 ? [bytes / 1024, "kB"] : [bytes / 1024 ** 2, "MB"];
    console.log(`${path}  ${Number(size[0]).toFixed(1)} ${size[1]}`);
  }
  if (mintSecret !== null)
    console.error("Keep MINT_SECRET too: nothing can be restored without it.");
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}

export function restore(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(restoreAdvice(databaseUrl, file));
  for (const path of restoreBackup(dataDir, file, mintSecret)) console.log(path);
  const { uid, gid } = statSync(dataDir);
  const whose = process.getuid?.() === uid ? "" : `, owned by ${uid}:${gid} as the folder is`;
  console.error(`Restored${whose}. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}

function postgresAdvice(what: string, command: string, then: string): string {
  return `DATABASE_URL is set, and a PostgreSQL database is ${what}:\n  ${command}\nIt reads the password from PGPASSWORD or ~/.pgpass. ${then}`;
}

function dumpAdvice(url: string, file: string): string {
  return postgresAdvice(
    "backed up with its own tool, while servers run",
    `pg_dump --format=custom --file=${quoted(file)} ${quoted(withoutPassword(url))}`,
    "Also keep, private and apart from it, MINT_SECRET (nothing could be restored without it), JWT_SECRET, the launch wallet's keypair and the settings.",
  );
}

function restoreAdvice(url: string, file: string): string {
  const options = "--exit-on-error --single-transaction --no-owner";
  return postgresAdvice(
    "restored with its own tool, into an empty database and with every server stopped",
    `pg_restore ${options} --dbname=${quoted(withoutPassword(url))} ${quoted(file)}`,
    "Then start the servers with the MINT_SECRET that the database had.",
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const TOLD_ROWS = 100_000;

export async function migrate({ to }: { readonly to: string }): Promise<void> {
  try {
    parsePostgresUrl(to);
  } catch (cause) {
    throw new Error(`The URL of --to ${(cause as Error).message}`);
  }
  const config = readStorageConfig({ ...process.env, DATABASE_URL: "" });
  const { tables, binding } = await moveToPostgres(config, to, tell);
  for (const { name, summary } of tables) {
    const rows = String(summary.rows).padStart(10);
    console.log(`${name.padEnd(18)}${rows}  sha256 ${summary.checksum}`);
  }
  const { dataDir, mintSecret } = config;
  const files = dataFiles(dataDir);
  const secrets = [
    mintSecret === null
      ? `Copy ${files.mintSecret} into its DATA_DIR.`
      : "Set MINT_SECRET as here.",
    existsSync(files.jwtSecret)
      ? `Copy ${files.jwtSecret} there, or set a new JWT_SECRET; then agents sign in again.`
      : "Set JWT_SECRET as before.",
  ];
  console.error(`
Moved: both databases were read, and hold the same. Now, for every server:
  1. Set DATABASE_URL to the URL of --to, with its password.
  2. Give it the secrets, which are not in the database. ${secrets.join(" ")}
  3. Keep the launch wallet${binding.launchWallet === null ? "" : ` ${binding.launchWallet}`} and all other settings, run tokend doctor, and start.
Keep ${dataDir} as a backup. No server starts on it without DATABASE_URL: ${files.moved} says why.`);
}

function tell({ table, copied, rows }: MoveProgress): void {
  if (copied === 0 || copied === rows || copied % TOLD_ROWS !== 0) return;
  console.error(`${table}: ${copied} of ${rows} rows`);
}

export async function metadataExport(folder: string): Promise<void> {
  const { documents, images } = await exportTo(folder);
  console.log(`In ${folder}: documents: ${documents}, new images: ${images}`);
}

/** `tokend metadata pin`: uploads what `export` writes. */
export async function metadataPin(endpoint: string): Promise<void> {
  const { PIN_TOKEN: token, METADATA_BASE_URL: base } = readSettings(process.env, [
    "PIN_TOKEN",
    "METADATA_BASE_URL",
  ]);
  const { pinFolder } = await import("../data/pin-folder.ts");
  const folder = mkdtempSync(join(tmpdir(), "tokend-metadata-"));
  try {
    const { documents, images } = await exportTo(folder);
    const { host, pathname: path, href } = new URL(base ?? "https://metadata.example");
    const cid = await pinFolder(folder, { endpoint, token, path });
    console.log(
      `Pinned ipfs://${cid}: documents: ${documents}, images: ${images}\n` +
        `METADATA_BASE_URL=${href} serves them once DNS has\n` +
        `  _dnslink.${host} TXT "dnslink=/ipfs/${cid}"\n` +
        "and that name leads to a gateway which serves names",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function exportTo(folder: string) {
  const store = await openBesideServer(readStorageConfig(process.env), true);
  try {
    return await exportMetadata(store, folder);
  } finally {
    await store.close();
  }
}
