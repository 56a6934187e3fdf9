import { accessSync, constants, existsSync } from "node:fs";
import { type Config, dataFiles } from "../../config/config.ts";
import { findDamage } from "../../store/sqlite/find-damage.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

/** Checks that the database is whole, without changing it; a server may be running on it. */
export function checkDatabase({ dataDir }: Config): Finding {
  const path = dataFiles(dataDir).database;
  if (!existsSync(path)) {
    return warning("database", `${path} does not exist yet; the first start makes it`);
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  const damage = findDamage(path);
  if (damage.length === 0) return ok("database", `${path} is whole`);
  return failure("database", `${path} is damaged (${damage.join("; ")}): restore a backup`);
}
