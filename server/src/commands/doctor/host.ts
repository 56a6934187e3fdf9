import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync } from "node:fs";
import { type Config, dataFiles } from "../../config/config.ts";
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
