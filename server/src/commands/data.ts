import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePostgresUrl } from "../base/postgres-url.ts";
import { dataFiles, readStorageConfig } from "../config/config.ts";
import { readSettings } from "../config/read-settings.ts";
import { makeBackup, restoreBackup } from "../data/backup.ts";
import { exportMetadata } from "../data/export-metadata.ts";
import { moveToPostgres } from "../data/move-to-postgres.ts";
import { openBesideServer } from "../data/open-beside.ts";

const USE_ITS_OWN_TOOLS =
  "DATABASE_URL is set: back up and restore its database with pg_dump and pg_restore, and keep " +
  "MINT_SECRET, without which nothing can be restored. docs/operating.md has the commands.";

export function backup(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(USE_ITS_OWN_TOOLS);
  for (const { path, bytes } of makeBackup(dataDir, file, mintSecret)) {
    console.log(`${path}  ${bytes} bytes`);
  }
  if (mintSecret !== null)
    console.error("Keep MINT_SECRET too: nothing can be restored without it.");
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}

export function restore(file: string): void {
  const { dataDir, databaseUrl, mintSecret } = readStorageConfig(process.env);
  if (databaseUrl !== null) throw new Error(USE_ITS_OWN_TOOLS);
  for (const path of restoreBackup(dataDir, file, mintSecret)) console.log(path);
  console.error(`Restored. Start tokend with DATA_DIR=${dataDir} and the settings it had.`);
}

export async function migrate({ to }: { readonly to: string }): Promise<void> {
  try {
    parsePostgresUrl(to);
  } catch (cause) {
    throw new Error(`The URL of --to ${(cause as Error).message}`);
  }
  const config = readStorageConfig({ ...process.env, DATABASE_URL: "" });
  const { tables, binding } = await moveToPostgres(config, to);
  for (const { name, rows } of tables)
    console.log(`${name.padEnd(18)}${String(rows).padStart(10)}`);
  const { dataDir } = config;
  console.error(`
Moved: both databases were read, and hold the same. Now, for every server:
  1. Set DATABASE_URL to the URL of --to, with its password.
  2. Give it the secrets, which are not in the database: MINT_SECRET and JWT_SECRET as here, or copies of the files mint.secret and jwt.secret in its DATA_DIR.
  3. Keep the launch wallet${binding.launchWallet === null ? "" : ` ${binding.launchWallet}`} and all other settings, run tokend doctor, and start.
Keep ${dataDir} as a backup. No server starts on it without DATABASE_URL: ${dataFiles(dataDir).moved} says why.`);
}

export async function metadataExport(folder: string): Promise<void> {
  const { documents, images } = await exportTo(folder);
  console.log(`In ${folder}: documents: ${documents}, new images: ${images}`);
}

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
