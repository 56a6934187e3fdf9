import { dataFiles } from "../config/config.ts";

/** A file of the data directory and the path of its copy. */
export interface BackedUpFile {
  readonly original: string;
  readonly copy: string;
  readonly isDatabase: boolean;
}

/**
 * The files of a backup in the order in which they are copied. The embedded chain follows the
 * database, so that it has every token of the database; a launch that is resumed finds on the chain
 * what it did between the two copies. Without the mint secret the embedded chain's pools
 * cannot be traded.
 *
 * A backup has neither the secret of bearer tokens (agents sign in again) nor the launch wallet's
 * keypair (it is the operator's file).
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
