import { readSecret } from "../../base/secret-file.ts";
import { type Config, dataFiles } from "../../config/config.ts";
import { readMintSecret } from "../../data/mint-secret.ts";
import { sharedSecretsProblem } from "../../data/shared-secrets.ts";
import { type Finding, failure, ok } from "./finding.ts";

/** Checks that a start has the secrets that it needs, and can use their files. */
export function checkSecrets(config: Config): Finding {
  const missing = sharedSecretsProblem(config);
  if (missing !== null) return failure("secrets", missing);
  const files = dataFiles(config.dataDir);
  const read = [files.mintSecret, files.jwtSecretPrevious];
  if (config.jwtSecret === null) read.push(files.jwtSecret);
  const count = read.filter((path) => readSecret(path) !== null).length;
  const isGiven = readMintSecret(config) !== null && config.jwtSecret !== null;
  if (count > 0) return ok("secrets", "only this user can open them");
  return ok("secrets", isGiven ? "given as settings" : "none yet; the first start makes them");
}
