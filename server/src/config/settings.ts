import { CHAINS, type ChainName, LAUNCH_PAYERS } from "@tokenctl/shared/words";
import { ADMISSION_MODES } from "../domain/intake-limits.ts";
import * as Kind from "./kinds.ts";

/** A metadata address on chain has at most 200 bytes; `/metadata/`, mint and `.json` take 59. */
export const MAX_METADATA_BASE_BYTES = 141;

const ofOperator = (most: number, meaning: string) =>
  Kind.line(most).optional("required with `OPERATOR_NAME`", meaning, ({ OPERATOR_NAME }) =>
    Boolean(OPERATOR_NAME),
  );

const SERVER = {
  HOST: Kind.host.or("127.0.0.1", "the address to listen on"),
  PORT: Kind.integer(0, 65_535).or("8787", "the port to listen on; 0 takes any free port"),
  DATA_DIR: Kind.path.or(
    "./data",
    "the folder of the database, the secrets and the sandbox's chain; for one server at a time, and for one chain only",
  ),
  DATABASE_URL: Kind.postgresUrl.optional(
    "SQLite in `DATA_DIR`",
    "a PostgreSQL database, 14 or newer, that several servers may share ([how](postgresql.md)); several hosts are separated by commas; only with `CHAIN=solana`",
  ),
  PUBLIC_URL: Kind.url.optional(
    "`http://HOST:PORT`, with the loopback address if `HOST` is `0.0.0.0` or `::`; required with `CHAIN=solana`",
    "the URL that clients use; agents sign its host when they sign in, and tokens' metadata points there",
    ({ CHAIN }) => CHAIN === "solana",
  ),
  METADATA_BASE_URL: Kind.url.optional(
    "`PUBLIC_URL`",
    `the URL of tokens' metadata and images, which goes on chain: this server, or a host that has its files ([how](operating.md#metadata-that-outlives-the-server)); at most ${MAX_METADATA_BASE_BYTES} bytes`,
  ),
  CORS_ORIGINS: Kind.origins.optional("none", "origins whose web pages may call the API"),
  CONSOLE: Kind.oneOf("on", "private", "off").or(
    "on",
    "whether people and crawlers are shown pages at `/`, `/t/:mint` and `/a/:wallet`, and with `on` the tokens of all agents",
  ),
  CONTACT_URL: Kind.contact.optional(
    "none",
    "where people report abuse and security problems, `https:` or `mailto:`: shown on every public page, and served as `/.well-known/security.txt`",
    ({ OPERATOR_NAME }) => Boolean(OPERATOR_NAME),
  ),
  OPERATOR_NAME: Kind.line(200).optional(
    "none",
    "the person or company that runs the service: fills in the terms and the privacy notice at `/terms` and `/privacy` ([how](operating.md#terms-privacy-and-fees)); then `OPERATOR_ADDRESS`, `OPERATOR_COUNTRY` and `CONTACT_URL` are required",
  ),
  OPERATOR_ADDRESS: ofOperator(300, "the operator's postal address"),
  OPERATOR_COUNTRY: ofOperator(100, "the country whose law and courts the terms name"),
  TERMS_URL: Kind.webPage.optional("`/terms`", "your own terms, which pages link to instead"),
  PRIVACY_URL: Kind.webPage.optional(
    "`/privacy`",
    "your own privacy notice, which pages link to instead",
  ),
  SOURCE_URL: Kind.webPage.optional("none", "the service's source code, which pages link to"),
  BRAND_NAME: Kind.name.or("tokend", "the service's name on the page and on the cards of tokens"),
  BRAND_LOGO: Kind.imageFile.optional(
    "a drawing",
    "the file of the service's logo, preferably square: shown on the page, in browsers' tabs and on phones",
  ),
  BRAND_COLOR: Kind.color.optional(
    "green",
    "the colour of the page's buttons and links, whose lightness follows the theme, so that they can be read",
  ),
  TRUST_PROXY: Kind.flag.or(
    "false",
    "whether to take the client's address from the last `X-Forwarded-For` entry",
  ),
  LOG_LEVEL: Kind.oneOf("trace", "debug", "info", "warn", "error", "silent").or(
    "info",
    "the least important lines on stderr; readable on a terminal, otherwise JSON",
  ),
  DRAIN_SECONDS: Kind.integer(0, 300).or(
    "0",
    "how long a server that is told to stop still serves while `/ready` answers 503, so that a load balancer takes it out",
  ),
  METRICS_PORT: Kind.integer(0, 65_535).optional(
    "no metrics",
    "the port of `/metrics` for Prometheus; not the server's own",
  ),
  METRICS_HOST: Kind.host.or("127.0.0.1", "the address of `/metrics`"),
  WORKER_CONCURRENCY: Kind.integer(1, 256).or(
    "8",
    "how many launches are deployed at the same time",
  ),
  CHAIN: Kind.oneOf(...CHAINS).or("local", "`local`, the sandbox, or `solana`, a real cluster"),
};

const RANDOM = "a random one, made once and kept in `DATA_DIR`; required with `DATABASE_URL`";

const SECRETS = {
  JWT_SECRET: Kind.secret(32).optional(
    RANDOM,
    "signs bearer tokens; servers that share a database need the same, here or as `jwt.secret` in `DATA_DIR`",
  ),
  MINT_SECRET: Kind.hexSecret(32).optional(
    RANDOM,
    "the mints' keys are derived from it; servers that share a database need the same, here or as `mint.secret` in `DATA_DIR`",
  ),
  PIN_TOKEN: Kind.secret(1).optional(
    "none",
    "only for `tokend metadata pin`: the bearer token of the pinning service",
  ),
  ACCEPT_CHANGE: Kind.names.optional(
    "none",
    "a new mint secret, launch wallet or config to which the database may change, as the refusal to start names each",
  ),
};

const LIMITS = {
  ADMISSION: Kind.oneOf(...ADMISSION_MODES).or(
    "open",
    "who may launch: `open` everyone, `invite` agents that redeemed an invite or are on the allowlist, `allowlist` those on it ([how](operating.md#whom-to-serve))",
  ),
  MIN_AGENT_SOL: Kind.sol.or(
    "0",
    "SOL that an agent's wallet must hold when it asks for a launch, and again when the launch starts; others are answered 403",
  ),
  MAX_QUEUE: Kind.limit(10_000_000).or("10000", "launches that may wait; more are answered 503"),
  MAX_LAUNCHES_PER_AGENT: Kind.limit().or(
    "20",
    "launches of one agent accepted in a UTC day; more are answered 429. In any case, a wallet gets one token a UTC day",
  ),
  MAX_LAUNCHES_PER_ADDRESS: Kind.limit().or(
    { solana: "10", local: "0" },
    "launches and retries of one network address (IPv4, IPv6 /64) accepted in a UTC day; more are answered 429",
  ),
  MAX_LAUNCHES_PER_HOUR: Kind.limit().or(
    "0",
    "agents that get a launch started in any hour, each one at most; more are answered 429",
  ),
  MAX_WAIT_HOURS: Kind.limit(87_600).or(
    "24",
    "how long a launch may wait to be signed; then it ends `failed` and frees its ticker. None ends in a pause, without a chain, or in the hour after",
  ),
  LAUNCH_PAYER: Kind.oneOf(...LAUNCH_PAYERS, "either").or(
    { solana: "operator", local: "either" },
    "who pays for launches: `operator`, from the launch wallet; `agent`, each its own with its own signature; `either`, as the request says ([compared](operating.md#who-pays-for-launches))",
  ),
  SIGN_WITHIN_SECONDS: Kind.integer(30, 86_400).or(
    "300",
    "how long an agent has to sign a launch that it pays for; then the launch ends `failed` and frees its ticker",
  ),
  TICKER_HOLD_HOURS: Kind.integer(0, 87_600).or(
    "24",
    "how long a launch that ended without a token keeps its ticker; 0 frees it at once",
  ),
  MAX_IMAGES_PER_AGENT: Kind.limit().or(
    "20",
    "new images of one agent in 24 hours; more are answered 429",
  ),
  MAX_IMAGES_MB: Kind.limit().or(
    "1000",
    "MiB of all agents' new images in 24 hours; more are answered 503",
  ),
  MAX_STREAMS_PER_AGENT: Kind.limit().or(
    "8",
    "streams of events, and requests that wait for one or for a launch, of one agent; more are answered 429",
  ),
  MAX_STREAMS: Kind.limit().or(
    "10000",
    "streams of events, and requests that wait for one or for a launch, of all agents; more are answered 503",
  ),
  POOL_WATCH_SECONDS: Kind.integer(1, 3_600).or(
    { solana: "60", local: "5" },
    "how often the chain is asked for prices, which tokens have migrated, and whose fees have reached an agent's threshold",
  ),
  MAX_WEBHOOKS_PER_AGENT: Kind.limit().or(
    "5",
    "receivers that one agent may have its events sent to; more are answered 409",
  ),
  RATE_LIMIT_AUTH_PER_MINUTE: Kind.rate.or(
    "600",
    "sign-in requests of one address, and separately its bad bearer tokens",
  ),
  RATE_LIMIT_WALLET_PER_MINUTE: Kind.rate.or("1200", "sign-ins of one wallet"),
  RATE_LIMIT_AGENT_PER_MINUTE: Kind.rate.or("600", "requests of one signed-in agent"),
  RATE_LIMIT_PUBLIC_PER_MINUTE: Kind.rate.or(
    "600",
    "requests of one address for `/public/…` and `/t/:mint`",
  ),
  ADDRESS_SHARE: Kind.integer(0, 100).or(
    "1",
    "percent of what all clients share that one address (IPv4, IPv6 /64) may hold; at least what one agent may hold; 0 for no share. On the sandbox, clients on this machine are exempt",
  ),
  NETWORK_SHARE: Kind.integer(0, 100).or("10", "the same for one network (IPv4 /24, IPv6 /48)"),
  SPONSOR_CLAIMS: Kind.flag.or(
    "true",
    "whether the launch wallet, if there is one, pays in advance for the claims of agents without SOL, which repay it",
  ),
};

const CLUSTER = {
  RPC_URL: Kind.urls.required(
    "the cluster's JSON-RPC over HTTP, which must be Agave 3 or newer and keep transaction history; one node or several ([how they are used](operating.md#several-rpc-nodes))",
  ),
  SEND_URLS: Kind.senders.optional(
    "none",
    "further ways to send transactions, beside `RPC_URL`, such as a staked sender ([how](operating.md#when-the-chain-is-congested))",
  ),
  TIP_ACCOUNTS: Kind.addresses.optional(
    "none",
    "the accounts that the launch wallet's transactions pay a tip to, one at a time in turn, so that they land; with `TIP_LAMPORTS`",
  ),
  TIP_LAMPORTS: Kind.integer(1, 1_000_000_000).optional(
    "none",
    "the tip of a transaction; it counts towards `MAX_DAILY_SPEND_SOL`, and agents never sign one",
  ),
  LAUNCH_KEYPAIR: Kind.path.optional(
    "required without `LAUNCH_SIGNER`, unless `LAUNCH_PAYER=agent`",
    "the launch wallet's keypair file, which no other user may be able to open; without a launch wallet the server sponsors no claims and migrates no pools",
    ({ LAUNCH_SIGNER, LAUNCH_PAYER }) => !LAUNCH_SIGNER && LAUNCH_PAYER !== "agent",
  ),
  LAUNCH_SIGNER: Kind.signer.optional(
    "none",
    "the URL of a program that holds the launch wallet's key and signs ([how](operating.md#the-launch-wallets-key-outside-the-server))",
  ),
  DBC_CONFIG: Kind.address.required("the config to launch under, from `tokend config create`"),
  MIN_WALLET_SOL: Kind.sol.or("0.05", "the least that every launch leaves in the launch wallet"),
  MAX_DAILY_SPEND_SOL: Kind.solOrUnlimited.optional(
    "required with a launch wallet",
    "the most that launches and migrations may take from the launch wallet in a UTC day; launches for which too little would be left after those that wait are answered 503. A network has `NETWORK_SHARE` percent of it, an address `MAX_LAUNCHES_PER_ADDRESS` launches",
    ({ LAUNCH_PAYER, LAUNCH_KEYPAIR, LAUNCH_SIGNER }) =>
      LAUNCH_PAYER !== "agent" || Boolean(LAUNCH_KEYPAIR || LAUNCH_SIGNER),
  ),
  MIGRATE_AFTER_SECONDS: Kind.integer(1, 31_536_000).optional(
    "never",
    "how long after a curve is complete the server migrates it, unless that has happened; each costs the launch wallet about 0.0325 SOL at 6,960 lamports a byte, and less at a lower rent. Needs a launch wallet",
  ),
  MAX_TRANSACTION_FEE_LAMPORTS: Kind.integer(10_000, 1_000_000_000).or(
    "1000000",
    "the most that one transaction may cost in fees, signatures included",
  ),
  MAX_PRIORITY_MICROLAMPORTS: Kind.integer(0, 1_000_000_000).or(
    "1000000",
    "the highest priority fee per compute unit",
  ),
};

const SANDBOX = {
  ALLOW_REMOTE_SANDBOX: Kind.flag.or(
    "false",
    "whether `HOST` may be other than loopback; anyone who can connect can mint SOL on the sandbox and read everything on it",
  ),
};

const LOCALNET = {
  LOCAL_SLOT_MS: Kind.integer(10, 60_000).or(
    "400",
    "milliseconds that a slot of a new ledger takes; a transaction must land within 150 slots",
  ),
  LOCAL_RENT: Kind.integer(1, 1_000_000).or("6960", "lamports for each byte of an account"),
  LOCAL_SIGNATURE_LAMPORTS: Kind.integer(0, 1_000_000).or(
    "5000",
    "lamports that a transaction pays for each signature",
  ),
  LOCALNET_PROGRAMS: Kind.path.optional(
    "`~/.cache/tokend/programs`",
    "only for `tokend localnet`: the folder of the programs",
  ),
};

export const SECTIONS = {
  "The server": SERVER,
  Secrets: SECRETS,
  "Whom it serves, and how much": LIMITS,
  "A real cluster (CHAIN=solana)": CLUSTER,
  "The sandbox (CHAIN=local)": SANDBOX,
  "The embedded chain (CHAIN=local, and tokend localnet)": LOCALNET,
};

export const SETTINGS = { ...SERVER, ...SECRETS, ...LIMITS, ...CLUSTER, ...SANDBOX, ...LOCALNET };
export type SettingName = keyof typeof SETTINGS;

/** What the servers of a database should have the same, beside the secrets. */
export const SHARED = [
  ...(["PUBLIC_URL", "METADATA_BASE_URL", "DBC_CONFIG", "MAX_DAILY_SPEND_SOL"] as const),
  ...(Object.keys(LIMITS) as (keyof typeof LIMITS)[]),
];

export function namesOfChain(chain: ChainName): SettingName[] {
  const ofChain = chain === "solana" ? CLUSTER : { ...SANDBOX, ...LOCALNET };
  return Object.keys({ ...ofChain, ...SERVER, ...SECRETS, ...LIMITS }) as SettingName[];
}
