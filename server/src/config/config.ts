import { join } from "node:path";
import { limits } from "@tokenctl/shared/limits";
import { isLogLevel, LOG_LEVELS, type LogLevel } from "../base/log.ts";
import { hostInUrl, isLoopback, ownHosts } from "../base/loopback.ts";
import {
  CHAINS,
  type ChainConfig,
  type ClusterConfig,
  readChainConfig,
  readEarningCluster,
} from "./chain.ts";
import { EnvReader } from "./env-reader.ts";
import { type LimitsConfig, readLimitsConfig } from "./limits.ts";

/** On chain an address has 200 bytes; `/metadata/`, the mint and `.json` take 59 of them. */
const MAX_METADATA_BASE_BYTES = 141;

const DATA_DIR = "./data";

const SWITCH = ["on", "off"] as const;
const isSwitch = (value: string): value is (typeof SWITCH)[number] =>
  value === "on" || value === "off";

/** The server's settings, read once at start. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /**
   * A PostgreSQL database, which several servers may share; null for SQLite in the data directory.
   * May hold a password: never logged, never answered.
   */
  readonly databaseUrl: string | null;
  /** The mints' keys are derived from it; null for the one in the data directory. */
  readonly mintSecret: Uint8Array | null;
  /** The fingerprint of a mint secret to which the database may change; null for none. */
  readonly acceptedMintSecret: string | null;
  /** Signs bearer tokens; null for the one in the data directory. */
  readonly jwtSecret: string | null;
  /** The secret before a change: tokens signed with it stay valid until they expire. */
  readonly jwtSecretPrevious: string | null;
  readonly chain: ChainConfig;
  /** Where others reach this server, without a trailing slash. */
  readonly publicUrl: string;
  /** The hosts in URLs for which it answers; null for any. */
  readonly hosts: readonly string[] | null;
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[];
  /**
   * The URL under which metadata documents and images are read, without a slash at its end; it goes on
   * chain with each token.
   */
  readonly metadataBaseUrl: string;
  readonly logLevel: LogLevel;
  readonly workerConcurrency: number;
  /** How long a server that is told to stop still serves, so that a balancer takes it out. */
  readonly drainSeconds: number;
  readonly limits: LimitsConfig;
  /**
   * Whether agents may have events sent to this machine: on a sandbox that others cannot reach, since
   * they must not reach what listens here either.
   */
  readonly allowsLocalReceivers: boolean;
  /** Whether browsers are shown the console at `/`. */
  readonly isConsoleOn: boolean;
  /** Where Prometheus asks; null for no metrics. */
  readonly metrics: MetricsConfig | null;
}

export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads the configuration from the environment.
 *
 * @throws {ConfigError} if any variable is wrong; names each, its value and the allowed ones
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const reader = new EnvReader(env);
  const config = readAll(reader);
  reader.finish();
  return config;
}

/** @returns the names of all settings that a server reads, whatever its chain */
export function settingNames(): ReadonlySet<string> {
  const names = CHAINS.flatMap((chain) => {
    const reader = new EnvReader({ CHAIN: chain });
    readAll(reader);
    return [...reader.names];
  });
  return new Set(names);
}

function readAll(reader: EnvReader): Config {
  const { host, port } = listenConfig(reader);
  const chain = readChainConfig(reader);
  // Tokens' metadata points there for ever, so a real cluster has no default.
  const ownUrl = chain.chain === "local" ? `http://${hostInUrl(host)}:${port}` : undefined;
  const publicUrl = reader.url("PUBLIC_URL", ownUrl).replace(/\/+$/, "");
  const config: Config = {
    host,
    port,
    ...storageConfig(reader),
    acceptedMintSecret: reader.text("ACCEPT_MINT_SECRET", "") || null,
    jwtSecret: reader.secret("JWT_SECRET", 32),
    jwtSecretPrevious: reader.secret("JWT_SECRET_PREVIOUS", 32),
    chain,
    publicUrl,
    hosts: chain.chain === "local" ? ownHosts(host, publicUrl) : null,
    corsOrigins: reader.origins("CORS_ORIGINS"),
    metadataBaseUrl: readMetadataBaseUrl(reader, publicUrl),
    logLevel: reader.oneOf("LOG_LEVEL", "info", LOG_LEVELS, isLogLevel),
    workerConcurrency: reader.integer("WORKER_CONCURRENCY", 8, 1, 256),
    drainSeconds: reader.integer("DRAIN_SECONDS", 0, 0, 300),
    limits: readLimitsConfig(reader, chain.chain),
    allowsLocalReceivers: chain.chain === "local" && isLoopback(host),
    isConsoleOn: reader.oneOf("CONSOLE", "on", SWITCH, isSwitch) === "on",
    metrics: readMetricsConfig(reader, { host, port }),
  };
  const isRemoteSandboxAllowed = reader.flag("ALLOW_REMOTE_SANDBOX", false);
  if (chain.chain === "local" && !isLoopback(host) && !isRemoteSandboxAllowed) {
    reader.refuse(
      `HOST was ${JSON.stringify(host)}, where others can reach the sandbox (CHAIN=local): they can mint SOL on it, call its /dev routes and read everything on its chain; set HOST=127.0.0.1, or ALLOW_REMOTE_SANDBOX=true if you mean it`,
    );
  }
  if (chain.chain === "local" && config.databaseUrl !== null) {
    reader.refuse(
      "DATABASE_URL is set, but CHAIN is local: the sandbox's chain is inside one process, and servers that share a database need one chain; unset DATABASE_URL, or set CHAIN=solana and RPC_URL to a cluster, for example the one that tokend localnet serves",
    );
  }
  refuseLongHost(reader, config.publicUrl);
  return config;
}

/** @param publicUrl what it is by default */
function readMetadataBaseUrl(reader: EnvReader, publicUrl: string): string {
  const url = reader.url("METADATA_BASE_URL", publicUrl).replace(/\/+$/, "");
  const { length } = Buffer.from(url);
  if (url !== publicUrl && length > MAX_METADATA_BASE_BYTES) {
    reader.refuse(
      `METADATA_BASE_URL has ${length} bytes, but it may have ${MAX_METADATA_BASE_BYTES}: the address of each token's metadata goes on chain`,
    );
  }
  return url;
}

/** Each nonce that agents sign contains the host, and has room for so many characters of it. */
function refuseLongHost(reader: EnvReader, publicUrl: string): void {
  const length = URL.canParse(publicUrl) ? new URL(publicUrl).host.length : 0;
  if (length <= limits.nonce.host) return;
  reader.refuse(
    `PUBLIC_URL has a host of ${length} characters, but it may have ${limits.nonce.host}: each sign-in nonce carries it`,
  );
}

function readMetricsConfig(reader: EnvReader, server: ListenConfig): MetricsConfig | null {
  const host = reader.text("METRICS_HOST", "127.0.0.1");
  const port = reader.integer("METRICS_PORT", null, 0, 65_535);
  if (port === null) return null;
  const isSameHost =
    host === server.host || ALL_ADDRESSES.has(host) || ALL_ADDRESSES.has(server.host);
  if (port === server.port && port !== 0 && isSameHost) {
    reader.refuse(`METRICS_PORT and PORT are both ${port}: give the metrics a port of their own`);
  }
  return { host, port };
}

const ALL_ADDRESSES = new Set(["0.0.0.0", "::"]);

/** Where the server listens. */
export type ListenConfig = Pick<Config, "host" | "port">;

/**
 * Reads only where the server listens, for commands that need no other setting.
 *
 * @throws {ConfigError} as {@link readConfig}
 */
export function readListenConfig(env: Readonly<Record<string, string | undefined>>): ListenConfig {
  const reader = new EnvReader(env);
  const config = listenConfig(reader);
  reader.finish();
  return config;
}

function listenConfig(reader: EnvReader): ListenConfig {
  return {
    host: reader.text("HOST", "127.0.0.1"),
    port: reader.integer("PORT", 8787, 0, 65_535),
  };
}

/** Where the data is, and the secret on which it depends. */
export type StorageConfig = Pick<Config, "dataDir" | "databaseUrl" | "mintSecret">;

/**
 * Reads only where the data is, for commands that need no other setting.
 *
 * @throws {ConfigError} as {@link readConfig}
 */
export function readStorageConfig(
  env: Readonly<Record<string, string | undefined>>,
): StorageConfig {
  const reader = new EnvReader(env);
  const config = storageConfig(reader);
  reader.finish();
  return config;
}

/**
 * Reads where the data is and on which cluster the operator earns.
 *
 * @throws {ConfigError} as {@link readConfig}
 */
export function readEarningConfig(
  env: Readonly<Record<string, string | undefined>>,
): StorageConfig & ClusterConfig {
  const reader = new EnvReader(env);
  const config = { ...storageConfig(reader), ...readEarningCluster(reader) };
  reader.finish();
  return config;
}

function storageConfig(reader: EnvReader): StorageConfig {
  return {
    dataDir: reader.text("DATA_DIR", DATA_DIR),
    databaseUrl: reader.postgresUrl("DATABASE_URL"),
    mintSecret: reader.hexSecret("MINT_SECRET", 32),
  };
}

/** @returns the files of a data directory */
export function dataFiles(dataDir: string) {
  return {
    database: join(dataDir, "tokend.sqlite"),
    localLedger: join(dataDir, "localnet.sqlite"),
    jwtSecret: join(dataDir, "jwt.secret"),
    jwtSecretPrevious: join(dataDir, "jwt.secret.previous"),
    mintSecret: join(dataDir, "mint.secret"),
    /** There once `tokend migrate` has moved the database elsewhere. */
    moved: join(dataDir, "moved-to-postgresql"),
    /** Where the operator reaches the server; of further servers of one folder with their process id. */
    adminSocket: join(dataDir, "admin.sock"),
  };
}
