import { readOrCreateSecret, readSecret } from "../base/secret-file.ts";
import { type Config, dataFiles } from "../config/config.ts";

/**
 * The secrets of bearer tokens: the current one signs, the previous ones only verify. To rotate
 * without logging anyone out, set `JWT_SECRET_PREVIOUS` to the old one, or rename `jwt.secret` in the
 * data directory to `jwt.secret.previous`, and restart; 15 minutes later the last token of the old
 * one has expired.
 *
 * @throws {Error} if a file holds no secret or is open to others
 */
export function jwtSecrets(
  config: Pick<Config, "dataDir" | "jwtSecret" | "jwtSecretPrevious">,
): [current: Uint8Array, ...previous: Uint8Array[]] {
  const files = dataFiles(config.dataDir);
  const encode = (text: string) => new TextEncoder().encode(text);
  const { jwtSecret, jwtSecretPrevious } = config;
  const previous: Uint8Array[] = [];
  if (jwtSecretPrevious !== null) previous.push(encode(jwtSecretPrevious));
  const kept = readSecret(files.jwtSecretPrevious);
  if (kept !== null) previous.push(kept);
  const current = jwtSecret === null ? readOrCreateSecret(files.jwtSecret) : encode(jwtSecret);
  return [current, ...previous];
}
