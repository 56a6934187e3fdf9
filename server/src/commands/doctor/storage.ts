import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { readSecret } from "../../base/files.ts";
import { type Config, dataFiles, type StorageConfig } from "../../config/config.ts";
import { isThere } from "../../data/backup.ts";
import { lossProblem, NO_FOLDER } from "../../data/directory.ts";
import {
  changesOf,
  directoryProblem,
  ledgerProblem,
  type Owner,
  ownerOf,
  ownerProblem,
} from "../../data/owner.ts";
import { readMintSecret, sharedSecretsProblem } from "../../data/secrets.ts";
import { deriveKeypair } from "../../launchpad/local/accounts.ts";
import { readGenesisHash } from "../../localnet/ledger.ts";
import { openWallet } from "../../solana/open-wallet.ts";
import type { ChainBinding } from "../../store/chain-binding.ts";
import { migrations, SchemaVersionError } from "../../store/migrations.ts";
import { inspectPostgres, type PostgresState } from "../../store/postgres/store.ts";
import { findDamage, inspectDatabase } from "../../store/sqlite/files.ts";
import { isDiskFull } from "../../store/sqlite/store.ts";
import { attempt, type Finding, failure, messageOf, ok, warning } from "./finding.ts";

export async function* checkDataDirectory(config: Config): AsyncGenerator<Finding> {
  const folder = await attempt("DATA_DIR", () => checkFolder(config.dataDir));
  yield folder;
  if (folder.verdict === "failure") return;
  yield await attempt("secrets", () => checkSecrets(config));
  const database = await attempt("database", () => checkDatabase(config));
  yield database;
  if (database.verdict === "failure") return;
  yield await attempt("DATA_DIR", async () => checkOwner(config, await bindingOf(config)));
}

export function checkFolder(dataDir: string): Finding {
  const path = resolve(dataDir);
  let [place, missing] = [path, path];
  while (!existsSync(place)) [place, missing] = [dirname(place), place];
  if (!statSync(place).isDirectory()) return failure("DATA_DIR", `${place} ${NO_FOLDER}`);
  if (place !== path && isThere(missing)) return failure("DATA_DIR", `${missing} ${NO_FOLDER}`);
  if (isDiskFull(place))
    return failure("DATA_DIR", `the disk of ${place} is full: free some space`);
  try {
    // Permissions can mislead, as in `/proc`.
    rmdirSync(mkdtempSync(join(place, ".tokend-doctor-")));
  } catch (error) {
    const remedy = place === path ? "make it writable for this user" : `make ${path} for this user`;
    const { code } = error as NodeJS.ErrnoException;
    return failure("DATA_DIR", `${place} cannot be written (${code}): ${remedy}`);
  }
  if (place === path) return ok("DATA_DIR", dataDir);
  return ok("DATA_DIR", `${path} does not exist yet; the first start makes it`);
}

function checkDatabase(config: Config): Finding {
  const path = dataFiles(config.dataDir).database;
  const loss = lossProblem(config);
  if (loss !== null) return failure("database", loss);
  if (!existsSync(path)) {
    return warning("database", `${path} does not exist yet; the first start makes it`);
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  const { version } = inspectDatabase(path);
  if (version > migrations.length) throw new SchemaVersionError(version);
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

export async function* checkPostgres(config: Config, url: string): AsyncGenerator<Finding> {
  yield await attempt("secrets", () => checkSecrets(config));
  let state: PostgresState;
  try {
    state = await inspectPostgres(url);
  } catch (error) {
    const text = `DATABASE_URL leads to no usable database: ${messageOf(error)}: start it, or correct DATABASE_URL`;
    yield failure("database", text);
    return;
  }
  yield checkVersion(state);
  if (state.synchronousCommit === "off") {
    const text =
      "synchronous_commit=off: an accepted launch may be on no disk yet; set it to on (alter database … set synchronous_commit = on)";
    yield failure("database", text);
  }
  yield await attempt("database", () => checkOwner(config, state.binding));
}

function checkVersion({ version, schema: { has, known } }: PostgresState): Finding {
  if (has > known) {
    const text = `its tables have version ${has}, and this program knows ${known}: start the newer program`;
    return failure("database", text);
  }
  return ok("database", `PostgreSQL ${version} takes writes, tables of version ${has} of ${known}`);
}

async function checkOwner(config: Config, binding: ChainBinding | null): Promise<Finding> {
  const subject = config.databaseUrl === null ? "DATA_DIR" : "database";
  const problem = directoryProblem(config, binding);
  if (problem !== null) return failure(subject, problem);
  if (binding === null) {
    return ok(
      subject,
      `belongs to no chain yet; the first start binds it to CHAIN=${config.chain.chain}`,
    );
  }
  const owner = await namedOwner(config);
  const otherOwner = owner && ownerProblem(config, binding, owner);
  if (otherOwner) return failure(subject, otherOwner);
  if (config.chain.chain === "local" && binding.genesisHash !== null) {
    const { localLedger } = dataFiles(config.dataDir);
    if (readGenesisHash(localLedger) !== binding.genesisHash) {
      return failure(subject, ledgerProblem(config.dataDir));
    }
  }
  const { chain, launchWallet } = binding;
  const belongs = `belongs to CHAIN=${chain} and ${launchWallet === null ? "no launch wallet yet" : `the launch wallet ${launchWallet}`}`;
  const changed = Object.values(owner === null ? {} : changesOf(binding, owner)).join(", ");
  if (changed === "") return ok(subject, belongs);
  return warning(subject, `${belongs}; the next start changes that to ${changed}`);
}

/** Returns null if the wallet or secret is missing or unreadable, which another check reports. */
async function namedOwner(config: Config): Promise<Owner | null> {
  const secret = await Promise.try(() => readMintSecret(config)).catch(() => null);
  if (secret === null) return null;
  const { chain } = config;
  const place = chain.chain === "local" ? null : chain.launchWallet;
  const wallet =
    chain.chain === "local"
      ? deriveKeypair(secret, "wallet")
      : place && (await openWallet(place, systemClock).catch(() => null));
  if (place !== null && !wallet) return null;
  return ownerOf(config, wallet?.publicKey.toBase58() ?? null, secret);
}

function checkSecrets(config: Config): Finding {
  const missing = sharedSecretsProblem(config);
  if (missing !== null) return failure("secrets", missing);
  const { mintSecret, jwtSecret } = dataFiles(config.dataDir);
  const read = config.jwtSecret === null ? [mintSecret, jwtSecret] : [mintSecret];
  const count = read.filter((path) => readSecret(path) !== null).length;
  const isGiven = readMintSecret(config) !== null && config.jwtSecret !== null;
  if (count > 0) return ok("secrets", "only this user can open them");
  return ok("secrets", isGiven ? "given as settings" : "none yet; the first start makes them");
}
