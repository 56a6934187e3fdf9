import { existsSync } from "node:fs";
import { type Config, dataFiles } from "../config/config.ts";

/**
 * Checks that a server that shares its database is given the secrets that all servers of the
 * database share. It must not make them: another server would make others.
 *
 * @returns what is missing and what to do; null if nothing is
 */
export function sharedSecretsProblem({
  dataDir,
  databaseUrl,
  jwtSecret,
  mintSecret,
}: Pick<Config, "dataDir" | "databaseUrl" | "jwtSecret" | "mintSecret">): string | null {
  if (databaseUrl === null) return null;
  const files = dataFiles(dataDir);
  const missing: string[] = [];
  if (jwtSecret === null && !existsSync(files.jwtSecret)) {
    missing.push(`JWT_SECRET is not set, and there is no ${files.jwtSecret}`);
  }
  if (mintSecret === null && !existsSync(files.mintSecret)) {
    missing.push(`MINT_SECRET is not set, and there is no ${files.mintSecret}`);
  }
  if (missing.length === 0) return null;
  return (
    `${missing.join("; ")}. All servers of a database have the same secrets: for a new database make ` +
    "each with openssl rand -hex 32, and give it to every server; for one in use, give this server those of the others."
  );
}
