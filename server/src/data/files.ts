import { dataFiles } from "../config/config.ts";

/** A file of the data directory and the one that holds its copy. */
export interface BackedUpFile {
  readonly original: string;
  readonly copy: string;
  readonly isDatabase: boolean;
}

/**
 * What a backup consists of, in the order in which it is copied: the embedded chain after the
 * database, so that it knows of every token that the database has. What a launch in between did on
 * the chain is found there when the launch is taken up again. Without the secret the embedded
 * chain's pools cannot be traded any more.
 *
 * Left out are the secret of bearer tokens (agents sign in again), and the launch wallet's keypair,
 * which is not the server's.
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

/** @returns the files of a backup, of which only the first is always there */
export function backupFiles(backup: string) {
  return {
    database: backup,
    localLedger: `${backup}.localnet`,
    mintSecret: `${backup}.mint-secret`,
  };
}
