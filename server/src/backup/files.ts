import { dataFiles } from "../config.ts";

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
  return [
    { original: database, copy: backup, isDatabase: true },
    { original: localLedger, copy: `${backup}.localnet`, isDatabase: true },
    { original: mintSecret, copy: `${backup}.mint-secret`, isDatabase: false },
  ];
}
