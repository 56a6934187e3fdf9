import { join } from "node:path";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { LAUNCH_PAYERS, type LaunchPayer } from "@tokenctl/shared/words";
import { DAY_MS, HOUR_MS } from "../base/clock.ts";
import { hostInUrl, isLoopback, ownHosts } from "../base/loopback.ts";
import { postgresUrlSecrets } from "../base/postgres-url.ts";
import type { TipTerms } from "../domain/cluster-pace.ts";
import { sharesOf } from "../domain/shares.ts";
import type { Env } from "./kinds.ts";
import { ConfigError, readSettings, type Settings } from "./read-settings.ts";
import { MAX_METADATA_BASE_BYTES, namesOfChain, SHARED } from "./settings.ts";

const MIB = 1024 * 1024;

const STORAGE = ["DATA_DIR", "DATABASE_URL", "MINT_SECRET"] as const;
const CLUSTER = [
  "RPC_URL",
  "SEND_URLS",
  "TIP_ACCOUNTS",
  "TIP_LAMPORTS",
  "LAUNCH_KEYPAIR",
  "LAUNCH_SIGNER",
  "MIN_WALLET_SOL",
  "MAX_TRANSACTION_FEE_LAMPORTS",
  "MAX_PRIORITY_MICROLAMPORTS",
] as const;
const LOCALNET = ["LOCAL_SLOT_MS", "LOCAL_RENT", "LOCAL_SIGNATURE_LAMPORTS"] as const;
const EVENTS_MS = 30 * DAY_MS;

/** The server's settings, read once at start. `settings.ts` describes each of them. */
export type Config = ReturnType<typeof configOf>;
export type LocalChainConfig = ReturnType<typeof sandboxOf>;
export type SolanaChainConfig = ReturnType<typeof solanaOf>;
export type LimitsConfig = ReturnType<typeof limitsOf>;
export type MetricsConfig = NonNullable<Config["metrics"]>;
export type StorageConfig = ReturnType<typeof storageOf>;

/** @throws {ConfigError} some variables are wrong; names each, its value and the allowed values */
export function readConfig(env: Env): Config {
  const settings = readSettings(env, namesOfChain(env.CHAIN === "solana" ? "solana" : "local"));
  const config = configOf(settings);
  const problems = problemsOf(settings, config);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

export function readStorageConfig(env: Env): StorageConfig {
  return storageOf(readSettings(env, STORAGE));
}

export const readClusterConfig = (env: Env) => clusterOf(readSettings(env, CLUSTER));

export function withKeypair(env: Env, keypair: string | undefined): Env {
  if (keypair === undefined) return env;
  return { ...env, LAUNCH_KEYPAIR: keypair, LAUNCH_SIGNER: undefined };
}

export function requireWallet<Wallet>(wallet: Wallet | null): Wallet {
  if (wallet !== null) return wallet;
  throw new ConfigError(
    "No wallet is named: set LAUNCH_KEYPAIR or LAUNCH_SIGNER, or use --keypair with the file of the wallet that earns",
  );
}

export function readEarningConfig(env: Env) {
  if (readSettings(env, ["CHAIN"]).CHAIN === "local") {
    throw new ConfigError(
      "CHAIN is local: in the sandbox only agents earn; set CHAIN=solana and the server's other settings",
    );
  }
  const settings = readSettings(env, [...STORAGE, ...CLUSTER]);
  const dbcConfig = env.DBC_CONFIG ? readSettings(env, ["DBC_CONFIG"]).DBC_CONFIG : null;
  return { ...storageOf(settings), ...clusterOf(settings), dbcConfig };
}

export const readLocalnetConfig = (env: Env) => localnetOf(readSettings(env, LOCALNET));

function configOf(settings: Settings) {
  const { CHAIN, HOST: host, PORT: port, METRICS_HOST, METRICS_PORT } = settings;
  const isSandbox = CHAIN === "local";
  const publicUrl = settings.PUBLIC_URL ?? `http://${hostInUrl(host)}:${port}`;
  const chain = isSandbox ? sandboxOf(settings) : solanaOf(settings);
  const hasWallet = chain.chain === "local" || chain.launchWallet !== null;
  return {
    host,
    port,
    ...storageOf(settings),
    /** What agents and the launch wallet get should not depend on the server that they reach. */
    shared: Object.fromEntries(SHARED.map((name) => [name, String(settings[name])])),
    acceptedChanges: settings.ACCEPT_CHANGE ?? [],
    jwtSecret: settings.JWT_SECRET,
    chain,
    publicUrl,
    hosts: isSandbox ? ownHosts(host, publicUrl) : null,
    corsOrigins: settings.CORS_ORIGINS ?? [],
    metadataBaseUrl: settings.METADATA_BASE_URL ?? publicUrl,
    brand: { name: settings.BRAND_NAME, logo: settings.BRAND_LOGO, color: settings.BRAND_COLOR },
    pages: {
      operator: operatorOf(settings),
      contactUrl: settings.CONTACT_URL,
      termsUrl: settings.TERMS_URL,
      privacyUrl: settings.PRIVACY_URL,
      sourceUrl: settings.SOURCE_URL,
    },
    logLevel: settings.LOG_LEVEL,
    workerConcurrency: settings.WORKER_CONCURRENCY,
    drainSeconds: settings.DRAIN_SECONDS,
    limits: limitsOf(settings, hasWallet),
    /** Only on a sandbox that other machines cannot reach may events go to this machine. */
    allowsLocalReceivers: isSandbox && isLoopback(host),
    console: settings.CONSOLE,
    metrics: METRICS_PORT === null ? null : { host: METRICS_HOST, port: METRICS_PORT },
  } as const;
}

function operatorOf(settings: Settings) {
  const { OPERATOR_NAME: name, OPERATOR_ADDRESS: address, OPERATOR_COUNTRY: country } = settings;
  const { CONTACT_URL: contact } = settings;
  if (name === null || address === null || country === null || contact === null) return null;
  return { name, address, country, contact };
}

function problemsOf(settings: Settings, { host, port, chain, ...config }: Config): string[] {
  const { metrics, publicUrl, metadataBaseUrl } = config;
  const isSandbox = chain.chain === "local";
  const metadataBytes = Buffer.byteLength(metadataBaseUrl);
  const publicHost = new URL(publicUrl).host.length;
  const hosts = [host, metrics?.host ?? ""];
  const isSameHost =
    hosts[0] === hosts[1] || hosts.some((one) => one === "0.0.0.0" || one === "::");
  const rules: readonly (readonly [boolean, string])[] = [
    [
      isSandbox && !isLoopback(host) && !settings.ALLOW_REMOTE_SANDBOX,
      `HOST was ${JSON.stringify(host)}, where others can reach the sandbox (CHAIN=local): they can mint SOL on it, call its /dev routes and read everything on its chain; set HOST=127.0.0.1, or ALLOW_REMOTE_SANDBOX=true if you mean it`,
    ],
    [
      isSandbox && config.databaseUrl !== null,
      "DATABASE_URL is set, but CHAIN is local: the sandbox's chain is inside one process, and servers that share a database need one chain; unset DATABASE_URL, or set CHAIN=solana and RPC_URL to a cluster, for example the one that tokend localnet serves",
    ],
    [
      settings.MIGRATE_AFTER_SECONDS != null && !isSandbox && chain.launchWallet === null,
      "MIGRATE_AFTER_SECONDS is set, but there is no launch wallet to pay for migrations; unset it, or set LAUNCH_KEYPAIR or LAUNCH_SIGNER",
    ],
    [
      publicHost > limits.nonce.host,
      `PUBLIC_URL has a host of ${publicHost} characters, but it may have ${limits.nonce.host}: each sign-in nonce carries it`,
    ],
    [
      metadataBaseUrl !== publicUrl && metadataBytes > MAX_METADATA_BASE_BYTES,
      `METADATA_BASE_URL has ${metadataBytes} bytes, but it may have ${MAX_METADATA_BASE_BYTES}: the address of each token's metadata goes on chain`,
    ],
    [
      metrics !== null && port !== 0 && metrics.port === port && isSameHost,
      `METRICS_PORT and PORT are both ${port}: give the metrics a port of their own`,
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? problem : []));
}

function storageOf(settings: Settings<(typeof STORAGE)[number]>) {
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, MINT_SECRET: mintSecret } = settings;
  return { dataDir, databaseUrl, mintSecret };
}

function sandboxOf(settings: Settings) {
  return {
    chain: "local",
    /** The creator's fee of each trade, and what a curve takes until it migrates. */
    feeBps: 100,
    graduationLamports: 85n * LAMPORTS_PER_SOL,
    terms: localnetOf(settings),
  } as const;
}

function localnetOf(settings: Settings<(typeof LOCALNET)[number]>) {
  const { LOCAL_SLOT_MS: slotMs } = settings;
  const lamportsPerSignature = BigInt(settings.LOCAL_SIGNATURE_LAMPORTS);
  return { slotMs, rentPerByte: BigInt(settings.LOCAL_RENT), lamportsPerSignature };
}

function solanaOf(settings: Settings) {
  const cluster = clusterOf(settings);
  return {
    chain: "solana",
    ...cluster,
    dbcConfig: settings.DBC_CONFIG,
    migrateAfterSeconds: settings.MIGRATE_AFTER_SECONDS,
    spending: { ...cluster.spending, maxDailySpendLamports: settings.MAX_DAILY_SPEND_SOL },
  } as const;
}

function tipOf({
  TIP_ACCOUNTS: accounts,
  TIP_LAMPORTS: lamports,
}: Settings<"TIP_ACCOUNTS" | "TIP_LAMPORTS">): TipTerms | null {
  if (accounts !== null && lamports !== null) return { accounts, lamports: BigInt(lamports) };
  if (accounts === lamports) return null;
  throw new ConfigError("TIP_ACCOUNTS and TIP_LAMPORTS are set together, or neither");
}

/** A cluster and the wallet that pays there. URLs may hold keys: never log or return them. */
function clusterOf(settings: Settings<(typeof CLUSTER)[number]>) {
  const { LAUNCH_KEYPAIR: path, LAUNCH_SIGNER: signer } = settings;
  if (path !== null && signer !== null) {
    throw new ConfigError(
      "LAUNCH_SIGNER and LAUNCH_KEYPAIR are both set: the wallet has one key, name one",
    );
  }
  return {
    rpcUrls: settings.RPC_URL,
    sendUrls: settings.SEND_URLS ?? [],
    tip: tipOf(settings),
    /** Null if there is none and agents pay for their launches. */
    launchWallet: signer ?? (path === null ? null : ({ kind: "keypair", path } as const)),
    spending: {
      maxPriorityMicroLamports: BigInt(settings.MAX_PRIORITY_MICROLAMPORTS),
      maxTransactionFeeLamports: BigInt(settings.MAX_TRANSACTION_FEE_LAMPORTS),
      minWalletLamports: settings.MIN_WALLET_SOL,
    },
  } as const;
}

/** `Infinity` means no limit; for requests per minute, 0 does. */
function limitsOf(settings: Settings, hasWallet: boolean) {
  const payer = settings.LAUNCH_PAYER;
  const payers: readonly LaunchPayer[] = payer === "either" ? LAUNCH_PAYERS : [payer];
  const shares = { address: settings.ADDRESS_SHARE, network: settings.NETWORK_SHARE };
  const { MAX_IMAGES_PER_AGENT, MAX_IMAGES_MB, MAX_STREAMS, MAX_STREAMS_PER_AGENT } = settings;
  return {
    authPerMinute: settings.RATE_LIMIT_AUTH_PER_MINUTE,
    walletPerMinute: settings.RATE_LIMIT_WALLET_PER_MINUTE,
    agentPerMinute: settings.RATE_LIMIT_AGENT_PER_MINUTE,
    publicPerMinute: settings.RATE_LIMIT_PUBLIC_PER_MINUTE,
    trustProxy: settings.TRUST_PROXY,
    shares,
    /** A sandbox's users are all on this machine. */
    exemptsLoopback: settings.CHAIN === "local",
    sponsorsClaims: settings.SPONSOR_CLAIMS && hasWallet,
    launches: {
      admission: settings.ADMISSION,
      maxPerHour: settings.MAX_LAUNCHES_PER_HOUR,
      maxPending: settings.MAX_QUEUE,
      maxOfAgent: settings.MAX_LAUNCHES_PER_AGENT,
      maxOfAddress: settings.MAX_LAUNCHES_PER_ADDRESS,
      shares,
      maxWaitMs: settings.MAX_WAIT_HOURS * HOUR_MS,
      payers,
      signWithinMs: settings.SIGN_WITHIN_SECONDS * 1_000,
      tickerHoldMs: settings.TICKER_HOLD_HOURS * HOUR_MS,
    },
    minAgentLamports: settings.MIN_AGENT_SOL,
    images: {
      maxOfAgent: MAX_IMAGES_PER_AGENT,
      space: sharesOf(MAX_IMAGES_MB * MIB, MAX_IMAGES_PER_AGENT * limits.image.bytes, shares),
    },
    maxWebhooksOfAgent: settings.MAX_WEBHOOKS_PER_AGENT,
    events: {
      retentionMs: EVENTS_MS,
      streams: sharesOf(MAX_STREAMS, MAX_STREAMS_PER_AGENT, shares),
      watchEveryMs: settings.POOL_WATCH_SECONDS * 1_000,
    },
  };
}

export function dataFiles(dataDir: string) {
  return {
    database: join(dataDir, "tokend.sqlite"),
    localLedger: join(dataDir, "localnet.sqlite"),
    jwtSecret: join(dataDir, "jwt.secret"),
    mintSecret: join(dataDir, "mint.secret"),
    /** Exists once `tokend migrate` has moved the database elsewhere. */
    moved: join(dataDir, "moved-to-postgresql"),
    adminSocket: join(dataDir, "admin.sock"),
  };
}

/** Shorter texts occur by chance in lines that do not contain the secret. */
const MIN_LENGTH = 6;

export function secretTexts(config: Config): string[] {
  const { chain, databaseUrl, jwtSecret, mintSecret } = config;
  const texts = jwtSecret === null ? [] : [jwtSecret];
  if (mintSecret !== null) texts.push(Buffer.from(mintSecret).toString("hex"));
  if (databaseUrl !== null) texts.push(...postgresUrlSecrets(databaseUrl));
  if (chain.chain === "solana") {
    texts.push(...[...chain.rpcUrls, ...chain.sendUrls].flatMap(urlTexts));
    const { launchWallet } = chain;
    if (launchWallet?.kind === "http") texts.push(...urlTexts(launchWallet.url));
  }
  // The launch signer's user is in most lines.
  return texts.filter((text) => text.length >= MIN_LENGTH && text !== "tokend");
}

/** Providers put the key into the host, the path, the query or the user part of the URL. */
function urlTexts(text: string): string[] {
  const { host, pathname, search, username, password } = new URL(text);
  return [text, host, pathname, search, username, password];
}
