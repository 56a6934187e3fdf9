import { parseSol } from "@tokenctl/shared/sol";
import type { EnvReader } from "./env-reader.ts";

/** The embedded chain, which needs no cluster and no keys. */
export interface LocalChainConfig {
  readonly chain: "local";
  /** The creator's fee on each trade, in basis points. */
  readonly feeBps: number;
  /** Lamports in the curve at which a pool graduates. */
  readonly graduationLamports: bigint;
  readonly terms: LocalChainTerms;
}

/** How the embedded chain runs, in a server and as `tokend localnet`. */
export interface LocalChainTerms {
  /** How many of the newest transactions are kept; 0 for all. */
  readonly history: number;
  /** The length of a slot, in milliseconds. */
  readonly slotMs: number;
  /** Lamports for each byte of an account. */
  readonly rentPerByte: bigint;
}

/** A cluster, and the wallet that pays there. */
export interface ClusterConfig {
  /** At least one, in the order written. They may hold API keys: never logged, never answered. */
  readonly rpcUrls: readonly string[];
  /** Where the launch wallet's key is. A signer's URL may hold a password: never logged. */
  readonly launchWallet: LaunchWalletConfig;
  readonly spending: SpendingConfig;
}

/** A keypair file, or a signer outside this process. */
export type LaunchWalletConfig =
  | { readonly kind: "keypair"; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] }
  | { readonly kind: "http"; readonly url: string };

/** A real cluster with a config to launch under. */
export interface SolanaChainConfig extends ClusterConfig {
  readonly chain: "solana";
  readonly dbcConfig: string;
  /** The launch wallet to which the database may change; null for none. */
  readonly acceptedWallet: string | null;
  /** The config to which a database that several servers share may change; null for none. */
  readonly acceptedDbcConfig: string | null;
  /** How long complete curves are left to others to migrate, in seconds; null to migrate none. */
  readonly migrateAfterSeconds: number | null;
  readonly spending: SpendingConfig & {
    /** The most that launches may take in a UTC day; null for no limit. */
    readonly maxDailySpendLamports: bigint | null;
  };
}

/** What transactions may take from the launch wallet. */
interface SpendingConfig {
  /** The most micro-lamports to bid for a compute unit. */
  readonly maxPriorityMicroLamports: bigint;
  /** The most lamports that one transaction may pay in fees, signatures included. */
  readonly maxTransactionFeeLamports: bigint;
  /** A launch that would leave less in the wallet is not sent. */
  readonly minWalletLamports: bigint;
}

export type ChainConfig = LocalChainConfig | SolanaChainConfig;

/** The values of `CHAIN`. */
export const CHAINS = ["local", "solana"] as const;
const isChain = (value: string): value is (typeof CHAINS)[number] =>
  (CHAINS as readonly string[]).includes(value);

/** Reads which chain to launch on, and that chain's settings. */
export function readChainConfig(reader: EnvReader): ChainConfig {
  const chain = reader.oneOf("CHAIN", "local", CHAINS, isChain);
  if (chain === "solana") {
    const cluster = readClusterConfig(reader);
    const dbcConfig = reader.address("DBC_CONFIG");
    const maxDailySpendLamports = reader.solOrUnlimited(
      "MAX_DAILY_SPEND_SOL",
      "the most that launches may take from the launch wallet in a UTC day",
    );
    return {
      chain,
      ...cluster,
      dbcConfig,
      acceptedWallet: reader.optionalAddress("ACCEPT_LAUNCH_WALLET"),
      acceptedDbcConfig: reader.optionalAddress("ACCEPT_DBC_CONFIG"),
      migrateAfterSeconds: reader.integer("MIGRATE_AFTER_SECONDS", null, 1, 31_536_000),
      spending: { ...cluster.spending, maxDailySpendLamports },
    };
  }
  return {
    chain,
    feeBps: reader.integer("LOCAL_FEE_BPS", 100, 1, 5_000),
    graduationLamports: reader.sol("LOCAL_GRADUATION_SOL", parseSol("85"), parseSol("0.01")),
    terms: readLocalChainTerms(reader),
  };
}

/** Reads how the embedded chain runs. */
export function readLocalChainTerms(reader: EnvReader): LocalChainTerms {
  return {
    history: reader.integer("LOCALNET_HISTORY", 10_000, 0, 1_000_000_000),
    slotMs: reader.integer("LOCAL_SLOT_MS", 400, 10, 60_000),
    rentPerByte: BigInt(reader.integer("LOCAL_RENT", 6_960, 1, 1_000_000)),
  };
}

/**
 * Reads the cluster on which the operator earns, for commands beside the server. The sandbox has none.
 */
export function readEarningCluster(reader: EnvReader): ClusterConfig {
  if (reader.oneOf("CHAIN", "local", CHAINS, isChain) === "local") {
    reader.refuse(
      "CHAIN is local: in the sandbox nobody but agents earns; set CHAIN=solana and the server's other settings",
    );
  }
  return readClusterConfig(reader);
}

/** Reads the cluster and its wallet, for the server and the commands that send transactions. */
export function readClusterConfig(reader: EnvReader): ClusterConfig {
  return {
    rpcUrls: reader.urls("RPC_URL"),
    launchWallet: readLaunchWallet(reader),
    spending: {
      maxPriorityMicroLamports: BigInt(
        reader.integer("MAX_PRIORITY_MICROLAMPORTS", 1_000_000, 0, 1_000_000_000),
      ),
      maxTransactionFeeLamports: BigInt(
        reader.integer("MAX_TRANSACTION_FEE_LAMPORTS", 1_000_000, 10_000, 1_000_000_000),
      ),
      minWalletLamports: reader.sol("MIN_WALLET_SOL", parseSol("0.05")),
    },
  };
}

/** Reads `LAUNCH_SIGNER`, otherwise `LAUNCH_KEYPAIR`; one of them is needed, and not both. */
function readLaunchWallet(reader: EnvReader): LaunchWalletConfig {
  const signer = reader.text("LAUNCH_SIGNER", "");
  if (signer === "") return { kind: "keypair", path: reader.text("LAUNCH_KEYPAIR") };
  if (reader.text("LAUNCH_KEYPAIR", "") !== "") {
    reader.refuse(
      "LAUNCH_SIGNER and LAUNCH_KEYPAIR are both set: the wallet has one key, name one",
    );
  }
  if (!/^https?:\/\//i.test(signer)) {
    const command = signer.split(/\s+/).filter((part) => part !== "");
    if (!command[0]?.startsWith("/")) {
      reader.refuse(
        "LAUNCH_SIGNER must be an https URL, or the absolute path of a program with its arguments",
      );
    }
    return { kind: "command", command };
  }
  const url = reader.url("LAUNCH_SIGNER");
  if (url !== "" && !isPrivateLine(new URL(url))) {
    reader.refuse(
      "LAUNCH_SIGNER: http is for this machine only, 127.0.0.1 or localhost; use https",
    );
  }
  return { kind: "http", url };
}

/** Whether nobody between here and there can change what is sent. */
function isPrivateLine({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}
