import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { readOrCreateSecret, readSecret } from "../base/files.ts";
import { type Config, dataFiles, type StorageConfig } from "../config/config.ts";

/** Enough bytes that no two fingerprints are equal by chance. */
const FINGERPRINT_BYTES = 16;

/** Returns the secret of bearer tokens, and makes its file if there is none. */
export function jwtSecretOf({ dataDir, jwtSecret }: Pick<Config, "dataDir" | "jwtSecret">) {
  if (jwtSecret !== null) return new TextEncoder().encode(jwtSecret);
  return readOrCreateSecret(dataFiles(dataDir).jwtSecret);
}

/** @throws {Error} the setting and the file differ, or a shared database's secret is missing */
export function openMintSecret(config: StorageConfig): Uint8Array {
  const secret = readMintSecret(config);
  if (secret !== null) return secret;
  if (config.databaseUrl === null) return readOrCreateSecret(dataFiles(config.dataDir).mintSecret);
  throw new Error("MINT_SECRET is not set, and is needed with DATABASE_URL");
}

/** Creates no file: null if there is no secret. @throws {Error} the setting and the file differ */
export function readMintSecret({ dataDir, mintSecret }: StorageConfig): Uint8Array | null {
  const path = dataFiles(dataDir).mintSecret;
  const kept = readSecret(path);
  if (mintSecret === null) return kept;
  if (kept !== null && Buffer.compare(kept, mintSecret) !== 0) {
    throw new Error(
      `MINT_SECRET is not the secret in ${path}. Unset it to keep using the file's; if the file is ` +
        "not the one of this server's launches, move it away.",
    );
  }
  return mintSecret;
}

/** Returns keyed hashes of the settings that all servers of a database should have the same. */
export function settingsPrints(config: Config, mintSecret: Uint8Array): Record<string, string> {
  const jwtSecret = Buffer.from(jwtSecretOf(config)).toString("hex");
  const settings = Object.entries({ JWT_SECRET: jwtSecret, ...config.shared });
  return Object.fromEntries(
    settings.map(([name, value]) => [name, fingerprintOf(mintSecret, `${name}=${value}`)]),
  );
}

export function fingerprintOf(mintSecret: Uint8Array, of = "tokend mint secret fingerprint v1") {
  const hash = createHmac("sha256", mintSecret).update(of).digest();
  return hash.subarray(0, FINGERPRINT_BYTES).toString("base64url");
}

/** Returns what to do if this server lacks secrets that all servers of a database must share. */
export function sharedSecretsProblem(config: StorageConfig & Pick<Config, "jwtSecret">) {
  const files = dataFiles(config.dataDir);
  const missing = [
    { name: "JWT_SECRET", given: config.jwtSecret, file: files.jwtSecret },
    { name: "MINT_SECRET", given: config.mintSecret, file: files.mintSecret },
  ].filter(({ given, file }) => given === null && !existsSync(file));
  if (config.databaseUrl === null || missing.length === 0) return null;
  return (
    `${missing.map(({ name, file }) => `${name} is not set, and there is no ${file}`).join("; ")}. ` +
    "All servers of a database have the same secrets: for a new database make each with " +
    "openssl rand -hex 32, and give it to every server; for one in use, give this server those of the others."
  );
}
