import { join } from "node:path";
import { EnvReader } from "./env-reader.ts";
import { isLogLevel, LOG_LEVELS, type LogLevel } from "./log.ts";

/** The embedded chain: no cluster, no keys to bring. */
export interface LocalChainConfig {
  readonly chain: "local";
  /** The creator's share of each trade, in basis points. */
  readonly feeBps: number;
  /** SOL in the curve at which a pool graduates. */
  readonly graduationSol: number;
}

/** A real cluster. */
export interface SolanaChainConfig {
  readonly chain: "solana";
  /** May hold an API key: never logged, never answered. */
  readonly rpcUrl: string;
  readonly launchKeypair: string;
  readonly dbcConfig: string;
}

/** What the server was told, read once at start. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly jwtSecret: string | null;
  readonly chain: LocalChainConfig | SolanaChainConfig;
  /** Where others reach this server, without a trailing slash. */
  readonly publicUrl: string;
  readonly logLevel: LogLevel;
  readonly workerConcurrency: number;
}

/**
 * Reads the configuration from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong, what it was and what it may be
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const reader = new EnvReader(env);
  const host = reader.text("HOST", "127.0.0.1");
  const port = reader.integer("PORT", 8787, 0, 65_535);
  const config: Config = {
    host,
    port,
    dataDir: reader.text("DATA_DIR", "./data"),
    jwtSecret: reader.secret("JWT_SECRET", 32),
    chain: readChain(reader),
    publicUrl: reader.url("PUBLIC_URL", `http://${host}:${port}`).replace(/\/+$/, ""),
    logLevel: reader.oneOf("LOG_LEVEL", "info", LOG_LEVELS, isLogLevel),
    workerConcurrency: reader.integer("WORKER_CONCURRENCY", 8, 1, 256),
  };
  reader.finish();
  return config;
}

function readChain(reader: EnvReader): Config["chain"] {
  const isChain = (value: string): value is "local" | "solana" =>
    value === "local" || value === "solana";
  const chain = reader.oneOf("CHAIN", "local", ["local", "solana"], isChain);
  if (chain === "solana") {
    return {
      chain,
      rpcUrl: reader.url("RPC_URL"),
      launchKeypair: reader.text("LAUNCH_KEYPAIR"),
      dbcConfig: reader.address("DBC_CONFIG"),
    };
  }
  return {
    chain,
    feeBps: reader.integer("LOCAL_FEE_BPS", 100, 1, 5_000),
    graduationSol: reader.integer("LOCAL_GRADUATION_SOL", 85, 1, 100_000),
  };
}

/** @returns the files of a data directory */
export function dataFiles(dataDir: string) {
  return {
    database: join(dataDir, "tokend.sqlite"),
    localLedger: join(dataDir, "localnet.sqlite"),
    jwtSecret: join(dataDir, "jwt.secret"),
    mintSecret: join(dataDir, "mint.secret"),
  };
}
