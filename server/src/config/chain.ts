import { parseSol } from "@tokenctl/shared/sol";
import type { EnvReader } from "./env-reader.ts";

/** The embedded chain, which needs no cluster and no keys. */
export interface LocalChainConfig {
  readonly chain: "local";
  /** The creator's fee on each trade, in basis points. */
  readonly feeBps: number;
  /** Lamports in the curve at which a pool graduates. */
  readonly graduationLamports: bigint;
  /** How many of the newest transactions are kept; 0 for all. */
  readonly history: number;
}

/** A cluster, and the wallet that pays there. */
export interface ClusterConfig {
  /** At least one, in the order written. They may hold API keys: never logged, never answered. */
  readonly rpcUrls: readonly string[];
  /** Path of a keypair file. */
  readonly launchKeypair: string;
  readonly spending: SpendingConfig;
}

/** A real cluster with a config to launch under. */
export interface SolanaChainConfig extends ClusterConfig {
  readonly chain: "solana";
  readonly dbcConfig: string;
  /** The launch wallet to which the database may change; null for none. */
  readonly acceptedWallet: string | null;
  /** The config to which a database that several servers share may change; null for none. */
  readonly acceptedDbcConfig: string | null;
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
      spending: { ...cluster.spending, maxDailySpendLamports },
    };
  }
  return {
    chain,
    feeBps: reader.integer("LOCAL_FEE_BPS", 100, 1, 5_000),
    graduationLamports: reader.sol("LOCAL_GRADUATION_SOL", parseSol("85"), parseSol("0.01")),
    history: readLocalHistory(reader),
  };
}

/** Reads how many transactions the embedded chain keeps; 0 means all. */
export function readLocalHistory(reader: EnvReader): number {
  return reader.integer("LOCALNET_HISTORY", 10_000, 0, 1_000_000_000);
}

/** Reads the cluster and its wallet, for the server and the commands that send transactions. */
export function readClusterConfig(reader: EnvReader): ClusterConfig {
  return {
    rpcUrls: reader.urls("RPC_URL"),
    launchKeypair: reader.text("LAUNCH_KEYPAIR"),
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
