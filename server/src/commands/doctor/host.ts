import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync } from "node:fs";
import { type Config, dataFiles } from "../../config.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

/** Whether the database is whole, without changing it; a server may be running on it. */
export function checkDatabase({ dataDir }: Config): Finding {
  const path = dataFiles(dataDir).database;
  if (!existsSync(path)) {
    return warning("database", `${path} does not exist yet; the first start makes it`);
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  const database = new Database(path, { readonly: true });
  try {
    const problems = database.query("pragma quick_check(5)").values().flat();
    if (problems.length === 1 && problems[0] === "ok") return ok("database", `${path} is whole`);
    return failure("database", `${path} is damaged (${problems.join("; ")}): restore a backup`);
  } finally {
    database.close();
  }
}

/** Whether others can reach what tokens' metadata will point at for ever. */
export function checkPublicUrl({ publicUrl, chain }: Config): Finding {
  const { protocol, hostname } = new URL(publicUrl);
  const isLoopback = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname);
  if (chain.chain === "local") return ok("PUBLIC_URL", publicUrl);
  if (isLoopback) {
    return failure(
      "PUBLIC_URL",
      `${publicUrl} is this machine alone, and tokens' metadata would point there for ever: set it to where others reach this server`,
    );
  }
  if (protocol !== "https:") {
    return warning("PUBLIC_URL", `${publicUrl} is not https: wallets may not show the metadata`);
  }
  return ok("PUBLIC_URL", publicUrl);
}
