import { systemClock } from "../../base/clock.ts";
import { readSecret } from "../../base/secret-file.ts";
import { type Config, dataFiles } from "../../config/config.ts";
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
import { type Finding, failure, ok, warning } from "./finding.ts";

export async function checkOwner(config: Config, binding: ChainBinding | null): Promise<Finding> {
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

/** @returns null if the wallet or the secret cannot be read, which another check reports, or not yet */
async function namedOwner(config: Config): Promise<Owner | null> {
  const secret = readMintSecret(config);
  if (secret === null) return null;
  const { chain } = config;
  if (chain.chain === "local") {
    return ownerOf(config, deriveKeypair(secret, "wallet").publicKey.toBase58(), secret);
  }
  const { launchWallet } = chain;
  if (launchWallet === null) return ownerOf(config, null, secret);
  const wallet = await openWallet(launchWallet, systemClock).catch(() => null);
  return wallet && ownerOf(config, wallet.publicKey.toBase58(), secret);
}

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
