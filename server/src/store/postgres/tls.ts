import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { PostgresTarget } from "../../base/postgres-url.ts";

/**
 * TLS as libpq's `sslmode` means it: `prefer` and `require` encrypt and check no certificate,
 * `verify-ca` checks who issued it, `verify-full` also the host's name. `require` with a root
 * certificate checks as `verify-ca` does. Without `sslrootcert`, the well-known authorities count.
 *
 * @returns false without TLS; otherwise the options of a connection
 * @throws {Error} naming the file that cannot be read
 */
export function tlsOptions(target: PostgresTarget): ConnectionOptions | false {
  const { sslMode, sslRootCert, sslCert, sslKey } = target;
  if (sslMode === "disable") return false;
  const files = {
    ...(sslRootCert !== null && { ca: read("sslrootcert", sslRootCert) }),
    ...(sslCert !== null && { cert: read("sslcert", sslCert) }),
    ...(sslKey !== null && { key: read("sslkey", sslKey) }),
  };
  const checksIssuer = sslMode.startsWith("verify") || (sslMode === "require" && sslRootCert);
  if (!checksIssuer) return { ...files, rejectUnauthorized: false };
  const checksName = sslMode === "verify-full";
  return {
    ...files,
    rejectUnauthorized: true,
    ...(!checksName && { checkServerIdentity: () => undefined }),
  };
}

function read(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`The file of ${parameter} cannot be read: ${path}`, { cause });
  }
}
