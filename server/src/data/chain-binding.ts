import { existsSync, readFileSync } from "node:fs";
import type { ChainName } from "@tokenctl/shared/words";
import { dataFiles, type StorageConfig } from "../config/config.ts";
import type { ChainBinding } from "../store/chain-binding.ts";

/** The settings that decide where the data is and which chain it is for. */
type Place = StorageConfig & { readonly chain: { readonly chain: ChainName } };

const NAMES = {
  local: "the sandbox (CHAIN=local)",
  solana: "a real cluster (CHAIN=solana)",
} as const;

/**
 * @returns why the data is not that of the chain that the settings name, or lacks files on which
 * its launches depend, and what to do; null if nothing is wrong. Makes no file and asks no chain
 */
export function directoryProblem(config: Place, binding: ChainBinding | null): string | null {
  const { chain } = config.chain;
  const { database, localLedger, mintSecret, moved } = dataFiles(config.dataDir);
  const isShared = config.databaseUrl !== null;
  if (!isShared && existsSync(moved)) {
    return (
      `${readFileSync(moved, "utf8").trim()} A server on this folder would launch a second time. Set DATABASE_URL to that ` +
      `database. Only if the move was given up, and no server uses the database, delete ${moved}.`
    );
  }
  if (binding === null) return null;
  if (binding.chain !== chain) {
    return (
      `${placeOf(config)} belongs to ${NAMES[binding.chain]}, but the settings name ${NAMES[chain]}. ` +
      `Set CHAIN=${binding.chain}, or give this server ${anotherPlace(config)}.`
    );
  }
  if (isShared) return null;
  if (chain === "local" && binding.genesisHash !== null && !existsSync(localLedger)) {
    return (
      `${localLedger} is missing: it is the chain of the launches in ${database}. ` +
      "Put it back (a backup has it as *.localnet), or start with an empty DATA_DIR."
    );
  }
  if (config.mintSecret === null && !existsSync(mintSecret)) {
    return (
      `${mintSecret} is missing: with another one, launches in progress could be deployed a second ` +
      "time. Put it back (a backup has it as *.mint-secret)."
    );
  }
  return null;
}

/** @returns the data as the first words of a sentence */
export function placeOf({ dataDir, databaseUrl }: StorageConfig): string {
  return databaseUrl === null ? dataDir : "The database";
}

/** @returns what to give a server that is to have other data */
export function anotherPlace({ databaseUrl }: StorageConfig): string {
  return databaseUrl === null ? "another DATA_DIR" : "another DATABASE_URL";
}

/** @returns what is wrong and what to do if the embedded chain is not that of the database */
export function ledgerProblem(dataDir: string): string {
  const { localLedger, database } = dataFiles(dataDir);
  return (
    `${localLedger} is another chain than that of the launches in ${database}. ` +
    "Put that one back (a backup has it as *.localnet), or start with an empty DATA_DIR."
  );
}
