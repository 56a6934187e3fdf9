import { existsSync } from "node:fs";
import type { ChainName } from "@tokenctl/shared/words";
import type { Logger } from "pino";
import { type Config, dataFiles, type StorageConfig } from "../config/config.ts";
import type { ChainBinding, ChainBindings } from "../store/chain-binding.ts";
import { readMoved } from "./directory.ts";
import { fingerprintOf } from "./secrets.ts";

export type Owner = Pick<
  ChainBinding,
  "chain" | "launchWallet" | "mintSecretFingerprint" | "dbcConfig"
>;

/** Returns what a start binds a database to. A DBC config only if several servers may share it. */
export function ownerOf(
  config: Config,
  launchWallet: string | null,
  mintSecret: Uint8Array,
): Owner {
  const { chain, databaseUrl } = config;
  const isBound = chain.chain === "solana" && databaseUrl !== null;
  return {
    chain: chain.chain,
    launchWallet,
    mintSecretFingerprint: fingerprintOf(mintSecret),
    dbcConfig: isBound ? chain.dbcConfig : null,
  };
}

/** Binds the database at the first start, then compares. @throws {Error} a change is not allowed */
export async function bindDatabase(
  { store, log }: { store: Pick<ChainBindings, "read" | "bind" | "change">; log: Logger },
  config: Config,
  owner: Owner,
): Promise<void> {
  const refuse = (binding: ChainBinding) => {
    const problem = ownerProblem(config, binding, owner);
    if (problem !== null) throw new Error(problem);
  };
  const held = await store.read();
  if (held !== null) refuse(held);
  // Most starts write nothing. A database that was moved from SQLite has no config yet, and one
  // whose launches agents paid for may have no wallet.
  const lacks = (key: "dbcConfig" | "launchWallet") => held?.[key] === null && owner[key] !== null;
  const isNew = held === null || lacks("dbcConfig") || lacks("launchWallet");
  const bound = isNew ? await store.bind({ ...owner, genesisHash: null }) : held;
  refuse(bound);
  const changed = changesOf(bound, owner);
  if (Object.keys(changed).length === 0) return;
  await store.change(changed);
  log.warn({ from: bound, to: changed }, "the database's owner has changed");
}

/** Returns why this is not the database's owner and what to do; null if it is, or is accepted. */
export function ownerProblem(config: Config, bound: ChainBinding, owner: Owner): string | null {
  const { chain } = config;
  const { mintSecretFingerprint, launchWallet, dbcConfig } = changesOf(bound, owner);
  const isAccepted = (changed: string) => config.acceptedChanges.includes(changed);
  const { database, mintSecret } = dataFiles(config.dataDir);
  const source = config.mintSecret === null ? mintSecret : "MINT_SECRET";
  if (chain.chain === "local") {
    if (!mintSecretFingerprint && !launchWallet) return null;
    return (
      `${source} is not the one with which the sandbox was made. ` +
      "Put that one back (a backup has it as *.mint-secret), or start with an empty DATA_DIR."
    );
  }
  if (mintSecretFingerprint && !isAccepted(mintSecretFingerprint)) {
    const [launches, remedy] =
      config.databaseUrl === null
        ? [database, "Put that one back (a backup has it as *.mint-secret), or give this server"]
        : ["the database", "Give this server that of the others, or"];
    return (
      `${source} is not the mint secret of the launches in ${launches}: with it, launches in ` +
      `progress could be deployed a second time. ${remedy} ${anotherPlace(config)}; to ` +
      "change the secret for good, which is safe only for a database that was the last one in use, " +
      `set ACCEPT_CHANGE=${mintSecretFingerprint}.`
    );
  }
  const key = chain.launchWallet?.kind === "keypair" ? "LAUNCH_KEYPAIR" : "LAUNCH_SIGNER";
  const refuse = (what: "launchWallet" | "dbcConfig", setting: string) =>
    `${placeOf(config)} belongs to ${bound[what]}, but ${setting} names ${owner[what]}. Set ` +
    `${setting} back, or give this server ${anotherPlace(config)}; to change it for good, ` +
    `set ACCEPT_CHANGE=${owner[what]}.`;
  if (launchWallet && !isAccepted(launchWallet)) {
    return refuse("launchWallet", key);
  }
  if (dbcConfig && !isAccepted(dbcConfig)) {
    return refuse("dbcConfig", "DBC_CONFIG");
  }
  return null;
}

/** Returns the new values of what changed. A first binding is not a change. */
export function changesOf(bound: ChainBinding, owner: Owner): Partial<Owner> {
  const keys = ["launchWallet", "mintSecretFingerprint", "dbcConfig"] as const;
  const changed = keys.filter(
    (key) => bound[key] !== null && owner[key] !== null && bound[key] !== owner[key],
  );
  return Object.fromEntries(changed.map((key) => [key, owner[key]]));
}

type Data = StorageConfig & { readonly chain: { readonly chain: ChainName } };

const NAMES = {
  local: "the sandbox (CHAIN=local)",
  solana: "a real cluster (CHAIN=solana)",
} as const;

/**
 * Returns why the data does not belong to the chain in the settings, or which files its launches
 * lack, and what to do. Creates no file and asks no chain.
 */
export function directoryProblem(config: Data, binding: ChainBinding | null): string | null {
  const { chain } = config.chain;
  const { database, localLedger, mintSecret, moved } = dataFiles(config.dataDir);
  const isShared = config.databaseUrl !== null;
  const movedTo = isShared ? null : readMoved(config.dataDir);
  if (movedTo !== null) {
    return (
      `${movedTo} A server on this folder would launch a second time. Set DATABASE_URL to that ` +
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

function placeOf({ dataDir, databaseUrl }: StorageConfig): string {
  return databaseUrl === null ? dataDir : "The database";
}

function anotherPlace({ databaseUrl }: StorageConfig): string {
  return databaseUrl === null ? "another DATA_DIR" : "another DATABASE_URL";
}

export function ledgerProblem(dataDir: string): string {
  const { localLedger, database } = dataFiles(dataDir);
  return (
    `${localLedger} is another chain than that of the launches in ${database}. ` +
    "Put that one back (a backup has it as *.localnet), or start with an empty DATA_DIR."
  );
}
