import { createHmac } from "node:crypto";
import { readOrCreateSecret, readSecret } from "../base/secret-file.ts";
import { dataFiles, type StorageConfig } from "../config/config.ts";

/** Bytes of the fingerprint: too many to be equal by chance. */
const FINGERPRINT_BYTES = 16;

/**
 * The secret from which mints derive: `MINT_SECRET`, or the file in the data directory. The first
 * start makes the file, unless the database is one that several servers share.
 *
 * @throws {Error} if the two differ, the file cannot be used, or there is neither and the database
 * is shared
 */
export function openMintSecret(config: StorageConfig): Uint8Array {
  const secret = readMintSecret(config);
  if (secret !== null) return secret;
  if (config.databaseUrl === null) return readOrCreateSecret(dataFiles(config.dataDir).mintSecret);
  throw new Error("MINT_SECRET is not set, and is needed with DATABASE_URL");
}

/** @returns null if the next start would make it. Makes no file; throws as {@link openMintSecret} */
export function readMintSecret({ dataDir, mintSecret }: StorageConfig): Uint8Array | null {
  const path = dataFiles(dataDir).mintSecret;
  const kept = readSecret(path);
  if (mintSecret === null) return kept;
  if (kept !== null && Buffer.compare(kept, mintSecret) !== 0) {
    throw new Error(
      `MINT_SECRET is not the secret in ${path}. Unset it to go on with the file's; if the file is ` +
        "not the one of this server's launches, move it away.",
    );
  }
  return mintSecret;
}

/** @returns a text by which a mint secret is known and from which it cannot be found */
export function fingerprintOf(mintSecret: Uint8Array): string {
  return createHmac("sha256", mintSecret)
    .update("tokend mint secret fingerprint v1")
    .digest()
    .subarray(0, FINGERPRINT_BYTES)
    .toString("base64url");
}
