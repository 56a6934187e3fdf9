import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { diskNotice } from "../../base/disk.ts";
import { type Config, dataFiles, type StorageConfig } from "../../config/config.ts";
import { lossProblem } from "../../data/directory.ts";
import type { ChainBinding } from "../../store/chain-binding.ts";
import { inspectPostgres } from "../../store/postgres/inspect-database.ts";
import { isDiskFull } from "../../store/sqlite/database.ts";
import { findDamage, inspectDatabase } from "../../store/sqlite/files.ts";
import { attempt, type Finding, failure, ok, warning } from "./finding.ts";
import { checkOwner, checkSecrets } from "./owner.ts";

const SUBJECT = "DATA_DIR";

export async function* checkDataDirectory(config: Config): AsyncGenerator<Finding> {
  const folder = await attempt(SUBJECT, () => checkFolder(config.dataDir));
  yield folder;
  if (folder.verdict === "failure") return;
  yield await attempt("secrets", () => checkSecrets(config));
  const database = await attempt("database", () => checkDatabase(config));
  yield database;
  if (database.verdict === "failure") return;
  yield await attempt(SUBJECT, async () => checkOwner(config, await bindingOf(config)));
}

export function checkFolder(dataDir: string): Finding {
  const path = resolve(dataDir);
  if (!existsSync(path)) return checkParent(path);
  const status = statSync(path);
  if (!status.isDirectory()) return failure(SUBJECT, `${dataDir} is not a folder: name another`);
  if (isDiskFull(path)) return failure(SUBJECT, `the disk of ${dataDir} is full: free some space`);
  const refusal = refusalToWrite(path);
  if (refusal !== null) {
    return failure(SUBJECT, `${dataDir} cannot be written (${refusal}): give it to this user`);
  }
  const notice = diskNotice(path);
  if (notice !== null) return warning(SUBJECT, notice);
  if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
    return warning(SUBJECT, `others can read ${dataDir}: run chmod 700 ${dataDir}`);
  }
  return ok(SUBJECT, dataDir);
}

function checkParent(path: string): Finding {
  let parent = path;
  while (!existsSync(parent)) {
    if (isLink(parent)) {
      return failure(SUBJECT, `${path} cannot be made: the link ${parent} leads nowhere`);
    }
    parent = dirname(parent);
  }
  const refusal = statSync(parent).isDirectory() ? refusalToWrite(parent) : "it is not a folder";
  if (refusal === null) return ok(SUBJECT, `${path} does not exist yet; the first start makes it`);
  return failure(SUBJECT, `${path} cannot be made in ${parent} (${refusal}): name another`);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Tries it: permissions do not tell, for example in `/proc`. @returns the system's code, or null */
function refusalToWrite(folder: string): string | null {
  try {
    rmdirSync(mkdtempSync(join(folder, ".tokend-doctor-")));
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown error";
  }
}

function checkDatabase(config: Config): Finding {
  const path = dataFiles(config.dataDir).database;
  const loss = lossProblem(config);
  if (loss !== null) return failure("database", loss);
  if (!existsSync(path)) {
    return warning("database", `${path} does not exist yet; the first start makes it`);
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  const damage = findDamage(path);
  if (damage.length === 0) return ok("database", `${path} is whole`);
  return failure("database", `${path} is damaged (${damage.join("; ")}): restore a backup`);
}

export async function bindingOf({
  dataDir,
  databaseUrl,
}: StorageConfig): Promise<ChainBinding | null> {
  if (databaseUrl !== null) return (await inspectPostgres(databaseUrl)).binding;
  const { database } = dataFiles(dataDir);
  return existsSync(database) ? inspectDatabase(database).binding : null;
}
