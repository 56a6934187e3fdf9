import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeDurably } from "../base/durable-file.ts";
import { dataFiles } from "../config/config.ts";
import { copyDatabase, inspectDatabase } from "../store/sqlite/files.ts";

interface BackedUpFile {
  readonly original: string;
  readonly copy: string;
  readonly isDatabase: boolean;
}

/**
 * In the order in which they are copied: the embedded chain after the database, so that it has all of its
 * tokens. Left out are the secret of bearer tokens (agents sign in again) and the launch keypair.
 */
export function backedUpFiles(dataDir: string, backup: string): readonly BackedUpFile[] {
  const { database, localLedger, mintSecret } = dataFiles(dataDir);
  const copies = backupFiles(backup);
  return [
    { original: database, copy: copies.database, isDatabase: true },
    { original: localLedger, copy: copies.localLedger, isDatabase: true },
    { original: mintSecret, copy: copies.mintSecret, isDatabase: false },
  ];
}

/** @returns the paths of a backup's files; only the first always exists */
export function backupFiles(backup: string) {
  return {
    database: backup,
    localLedger: `${backup}.localnet`,
    mintSecret: `${backup}.mint-secret`,
  };
}

export interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies what a server needs to continue elsewhere, while it runs: the database to `backup`, the rest beside
 * it. @param givenSecret the mint secret of a server without a file of it @throws {Error} if a file exists, or
 * the database or its mint secret is missing
 */
export function makeBackup(
  dataDir: string,
  backup: string,
  givenSecret: Uint8Array | null = null,
): CopiedFile[] {
  const [database, ...others] = backedUpFiles(dataDir, backup);
  if (!database || !existsSync(database.original)) {
    throw new Error(`There is no database in ${dataDir}: set DATA_DIR to the server's.`);
  }
  const folder = dirname(backup);
  if (!existsSync(folder)) {
    throw new Error(`There is no folder ${folder}: is its disk mounted? Nothing was written.`);
  }
  const { mintSecret } = dataFiles(dataDir);
  const hasSecret = givenSecret !== null || existsSync(mintSecret);
  if (!hasSecret && inspectDatabase(database.original).binding !== null) {
    throw new Error(
      `${mintSecret} is missing, and nothing could be restored without it. If the server is given MINT_SECRET, give it to this command too.`,
    );
  }
  const files = [database, ...others.filter(({ original }) => existsSync(original))];
  for (const { copy } of files) {
    if (existsSync(copy)) throw new Error(`${copy} exists already: choose another name.`);
  }
  const made: string[] = [];
  try {
    for (const { original, copy, isDatabase } of files) {
      const write = isDatabase ? copyDatabase : copyFileSync;
      writeDurably(copy, (draft) => write(original, draft), { existing: "refuse" });
      made.push(copy);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    throw error;
  }
  return made.map((path) => ({ path, bytes: statSync(path).size }));
}
