import { existsSync } from "node:fs";
import { type Config, dataFiles } from "../../config/config.ts";
import {
  directoryProblem,
  ledgerProblem,
  type NamedChain,
  walletProblem,
} from "../../data/chain-binding.ts";
import { readMintSecret } from "../../data/mint-secret.ts";
import { deriveKeypair } from "../../launchpad/local/accounts.ts";
import { readGenesisHash } from "../../localnet/genesis-hash.ts";
import { readKeypairFile } from "../../solana/keypair-file.ts";
import { type DatabaseContents, inspectDatabase } from "../../store/sqlite/inspect-database.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

const SUBJECT = "DATA_DIR";
const EMPTY: DatabaseContents = { hasLaunches: false, binding: null };

/** @returns what the database of a data directory says; if there is none, what an empty one says */
export function contentsOf({ dataDir }: Config): DatabaseContents {
  const { database } = dataFiles(dataDir);
  return existsSync(database) ? inspectDatabase(database) : EMPTY;
}

/** Checks, as a start does, that the folder belongs to the settings' chain and launch wallet. */
export function checkOwner(config: Config): Finding {
  const { dataDir } = config;
  const contents = contentsOf(config);
  const { binding } = contents;
  const problem = directoryProblem(config, contents);
  if (problem !== null) return failure(SUBJECT, problem);
  const named = namedChain(config);
  const otherWallet = named && walletProblem(dataDir, contents, named);
  if (otherWallet) return failure(SUBJECT, otherWallet);
  if (binding === null) {
    return ok(
      SUBJECT,
      `belongs to no chain yet; the first start binds it to CHAIN=${config.chain.chain}`,
    );
  }
  const { localLedger } = dataFiles(dataDir);
  if (config.chain.chain === "local" && binding.genesisHash !== null) {
    if (readGenesisHash(localLedger) !== binding.genesisHash) {
      return failure(SUBJECT, ledgerProblem(dataDir));
    }
  }
  const owner = `belongs to CHAIN=${binding.chain} and the launch wallet ${binding.launchWallet}`;
  if (named === null || named.launchWallet === binding.launchWallet) return ok(SUBJECT, owner);
  return warning(SUBJECT, `${owner}; the next start changes that to ${named.launchWallet}`);
}

/** @returns null if the wallet cannot be read, which another check reports, or not yet */
function namedChain(config: Config): NamedChain | null {
  const { chain } = config;
  if (chain.chain === "solana") {
    const launchWallet = addressIn(chain.launchKeypair);
    if (launchWallet === null) return null;
    return { chain: "solana", launchWallet, acceptedWallet: chain.acceptedWallet };
  }
  const secret = readMintSecret(config);
  if (secret === null) return null;
  const launchWallet = deriveKeypair(secret, "wallet").publicKey.toBase58();
  return { chain: "local", launchWallet, acceptedWallet: null };
}

function addressIn(keypairFile: string): string | null {
  try {
    return readKeypairFile(keypairFile).publicKey.toBase58();
  } catch {
    return null;
  }
}
