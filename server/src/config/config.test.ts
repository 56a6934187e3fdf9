import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settingsPage } from "../../../scripts/settings-page.ts";
import { sharesOf } from "../domain/shares.ts";
import { SOLANA_SETTINGS } from "../testing/solana-settings.ts";
import { readConfig, secretTexts } from "./config.ts";
import { ConfigError } from "./read-settings.ts";
import { SETTINGS } from "./settings.ts";
import { loopbackUrlProblem, proxyWarning, settingsWarnings } from "./warnings.ts";

type Env = Record<string, string | undefined>;

const SOLANA: Env = {
  ...SOLANA_SETTINGS,
  RPC_URL: "https://rpc.example.com/?api-key=hush , http://b.example",
  MAX_DAILY_SPEND_SOL: "0.5",
};

/** Returns the lines of the error that prevents the start; none if the settings are right. */
function problems(env: Env): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split("\n");
  }
}

test("the metrics cannot have the server's port", () => {
  const both = { PORT: "8787", METRICS_PORT: "8787" };
  expect(() => readConfig(both)).toThrow("METRICS_PORT and PORT are both 8787");
  expect(() => readConfig({ ...both, METRICS_HOST: "0.0.0.0" })).toThrow("METRICS_PORT and PORT");
  expect(readConfig({ ...both, METRICS_HOST: "127.0.0.2" }).metrics?.port).toBe(8787);
  expect(readConfig({ PORT: "0", METRICS_PORT: "0" }).metrics?.port).toBe(0);
});

test("each variable replaces its default", () => {
  expect(
    readConfig({
      HOST: "0.0.0.0",
      ALLOW_REMOTE_SANDBOX: "true",
      PORT: "0",
      DATA_DIR: "/var/lib/tokend",
      JWT_SECRET: "s".repeat(32),
      PUBLIC_URL: "https://api.example.com/base//",
      CORS_ORIGINS: "https://app.example, http://localhost:5173",
      METADATA_BASE_URL: "https://cdn.example.com/tokens/",
      LOG_LEVEL: "debug",
      WORKER_CONCURRENCY: "3",
      LOCAL_SLOT_MS: "200",
      LOCAL_RENT: "696",
      LOCAL_SIGNATURE_LAMPORTS: "2500",
    }),
  ).toMatchObject({
    host: "0.0.0.0",
    port: 0,
    dataDir: "/var/lib/tokend",
    jwtSecret: "s".repeat(32),
    publicUrl: "https://api.example.com/base",
    corsOrigins: ["https://app.example", "http://localhost:5173"],
    metadataBaseUrl: "https://cdn.example.com/tokens",
    logLevel: "debug",
    workerConcurrency: 3,
    chain: {
      terms: { slotMs: 200, rentPerByte: 696n, lamportsPerSignature: 2_500n },
    },
  });
});

test("metadata points to the server by default, or to a URL whose addresses fit on chain", () => {
  const base = (env: Record<string, string>) => readConfig(env).metadataBaseUrl;
  expect(base({ PUBLIC_URL: "https://api.example.com/" })).toBe("https://api.example.com");
  const longest = `https://${"a".repeat(133)}`;
  expect(base({ METADATA_BASE_URL: longest })).toBe(longest);
  expect(() => base({ METADATA_BASE_URL: `${longest}a` })).toThrow(
    "METADATA_BASE_URL has 142 bytes, but it may have 141",
  );
  expect(() => base({ METADATA_BASE_URL: "ipfs://bafy" })).toThrow("METADATA_BASE_URL must be");
});

test("an operator who is named has an address, a country and a contact", () => {
  expect(() => readConfig({ OPERATOR_NAME: "Ann" })).toThrow(
    /^CONTACT_URL is not set.*OPERATOR_ADDRESS is not set.*OPERATOR_COUNTRY is not set/s,
  );
  expect(() => readConfig({ TERMS_URL: "javascript:alert(1)" })).toThrow("TERMS_URL was");
});

test("an empty variable counts as not set", () => {
  expect(readConfig({ HOST: "", PORT: "", CHAIN: "", JWT_SECRET: "" })).toEqual(readConfig({}));
});

test("what Kubernetes sets for a Service named metrics is no setting", () => {
  const METRICS_PORT = "tcp://10.0.0.7:80";
  expect(readConfig({ METRICS_PORT })).toEqual(readConfig({}));
  expect(readConfig({ PORT: METRICS_PORT })).toEqual(readConfig({}));
});

describe("a sandbox that others can reach", () => {
  test.each(["0.0.0.0", "::", "192.0.2.7", "example.com", "::ffff:127.0.0.1", "127.example.com"])(
    "HOST=%s stops the start, and says why and what to do",
    (HOST) => {
      expect(problems({ HOST })).toEqual([
        `HOST was "${HOST}", where others can reach the sandbox (CHAIN=local): they can mint SOL on it, call its /dev routes and read everything on its chain; set HOST=127.0.0.1, or ALLOW_REMOTE_SANDBOX=true if you mean it`,
      ]);
      expect(problems({ HOST, ALLOW_REMOTE_SANDBOX: "false" })).toHaveLength(1);
      expect(problems({ HOST, ALLOW_REMOTE_SANDBOX: "true" })).toEqual([]);
    },
  );

  test.each(["127.0.0.1", "127.8.9.10", "::1", "localhost", "LocalHost"])(
    "HOST=%s needs no permission",
    (HOST) => {
      expect(problems({ HOST })).toEqual([]);
    },
  );

  test.each([
    ["0.0.0.0", "http://127.0.0.1:8787"],
    ["::", "http://[::1]:8787"],
    ["192.0.2.7", "http://192.0.2.7:8787"],
  ])(
    "without PUBLIC_URL, HOST=%s is known as %s, which clients can be given",
    (HOST, publicUrl) => {
      expect(readConfig({ HOST, ALLOW_REMOTE_SANDBOX: "true" }).publicUrl).toBe(publicUrl);
    },
  );

  test("a server on a real cluster may listen anywhere", () => {
    expect(problems({ ...SOLANA, HOST: "0.0.0.0" })).toEqual([]);
  });
});

test("a PUBLIC_URL with a host too long for a nonce stops the start", () => {
  const url = (length: number) => `https://user:secret@${"h".repeat(length - 5)}:8787/base`;
  expect(problems({ PUBLIC_URL: url(127) })).toEqual([]);
  expect(problems({ PUBLIC_URL: url(128) })).toEqual([
    "PUBLIC_URL has a host of 128 characters, but it may have 127: each sign-in nonce carries it",
  ]);
});

describe("a server with CHAIN=solana", () => {
  test("reads its cluster, wallet, config and daily limit", () => {
    expect(readConfig(SOLANA).chain).toMatchObject({
      chain: "solana",
      rpcUrls: ["https://rpc.example.com/?api-key=hush", "http://b.example"],
      launchWallet: { kind: "keypair", path: "/keys/launch.json" },
      dbcConfig: "11111111111111111111111111111111",
      spending: { maxDailySpendLamports: 500_000_000n },
    });
  });

  const { LAUNCH_KEYPAIR: _, ...KEYLESS } = SOLANA;

  test.each([
    ["https://u:p@sign.example/x", { kind: "http", url: "https://u:p@sign.example/x" } as const],
    ["http://127.0.0.1:9000/sign", { kind: "http", url: "http://127.0.0.1:9000/sign" } as const],
  ])("with LAUNCH_SIGNER=%s, the key is there", (LAUNCH_SIGNER, place) => {
    expect(readConfig({ ...KEYLESS, LAUNCH_SIGNER }).chain).toMatchObject({ launchWallet: place });
  });

  test("needs no wallet if agents pay, and then sponsors no claims and migrates no pools", () => {
    const { MAX_DAILY_SPEND_SOL: _, ...unpaid } = KEYLESS;
    const { chain, limits } = readConfig({ ...unpaid, LAUNCH_PAYER: "agent" });
    expect(chain).toMatchObject({ launchWallet: null });
    expect(limits.sponsorsClaims).toBe(false);
    expect(problems({ ...unpaid, LAUNCH_PAYER: "agent", MIGRATE_AFTER_SECONDS: "60" })).toEqual([
      expect.stringContaining("there is no launch wallet to pay for migrations"),
    ]);
    const withWallet = { ...SOLANA, LAUNCH_PAYER: "agent", MAX_DAILY_SPEND_SOL: "" };
    expect(problems(withWallet)).toEqual([
      expect.stringContaining("MAX_DAILY_SPEND_SOL is not set"),
    ]);
    for (const LAUNCH_PAYER of ["operator", "either"]) {
      expect(problems({ ...KEYLESS, LAUNCH_PAYER })).toEqual([
        expect.stringContaining("LAUNCH_KEYPAIR is not set, and is needed"),
      ]);
    }
  });

  test.each([
    ["/usr/bin/sign", "must be an https URL"],
    ["http://sign.example/hush", "http is for this machine only"],
    ["https://", "must be an https URL"],
  ])("LAUNCH_SIGNER=%s stops the start, and is not repeated", (LAUNCH_SIGNER, problem) => {
    const found = problems({ ...KEYLESS, LAUNCH_SIGNER });
    expect(found).toEqual([expect.stringContaining(problem)]);
    expect(found.join()).not.toContain("hush");
  });

  test("the launch signer's password is a secret, and its user is none", () => {
    const config = readConfig({ ...KEYLESS, LAUNCH_SIGNER: "http://tokend:hush-hush@127.0.0.1:1" });
    const secrets = secretTexts(config);
    expect(secrets).toContain("hush-hush");
    expect(secrets).not.toContain("tokend");
  });

  test("a wallet has one key: LAUNCH_SIGNER and LAUNCH_KEYPAIR together stop the start", () => {
    expect(problems({ ...SOLANA, LAUNCH_SIGNER: "https://sign.example" })).toEqual([
      "LAUNCH_SIGNER and LAUNCH_KEYPAIR are both set: the wallet has one key, name one",
    ]);
  });

  test("migrates no pools unless it is told after what time", () => {
    expect(readConfig(SOLANA).chain).toMatchObject({ migrateAfterSeconds: null });
    const on = readConfig({ ...SOLANA, MIGRATE_AFTER_SECONDS: "3600" });
    expect(on.chain).toMatchObject({ migrateAfterSeconds: 3_600 });
    expect(problems({ ...SOLANA, MIGRATE_AFTER_SECONDS: "0" })).toEqual([
      'MIGRATE_AFTER_SECONDS was "0", but must be a whole number from 1 to 31536000',
    ]);
  });

  test("names everything that is missing at once", () => {
    expect(problems({ CHAIN: "solana" })).toEqual([
      "RPC_URL is not set, and is needed: the cluster's JSON-RPC over HTTP (http or https URLs, separated by commas)",
      "LAUNCH_KEYPAIR is not set, and is needed: the launch wallet's keypair file (a path)",
      "DBC_CONFIG is not set, and is needed: the config to launch under (a base58 address)",
      "MAX_DAILY_SPEND_SOL is not set, and is needed: the most that launches and migrations may take from the launch wallet in a UTC day (more than 0 SOL, written as 1 or 0.25; for no limit write unlimited)",
      "PUBLIC_URL is not set, and is needed: the URL that clients use (an http or https URL)",
    ]);
  });

  test("requires a daily limit in SOL, or the word unlimited", () => {
    const { chain } = readConfig({ ...SOLANA, MAX_DAILY_SPEND_SOL: "unlimited" });
    expect(chain).toMatchObject({ spending: { maxDailySpendLamports: null } });
    for (const wrong of ["0", "0.0", "none", "Unlimited", "-1", "1e3"]) {
      expect(problems({ ...SOLANA, MAX_DAILY_SPEND_SOL: wrong })).toEqual([
        `MAX_DAILY_SPEND_SOL was "${wrong}", but must be more than 0 SOL, written as 1 or 0.25; for no limit write unlimited`,
      ]);
    }
  });

  test("names the RPC URL that is wrong or written twice, and does not repeat it", () => {
    const RPC_URL = "https://a.example/hush,b.example/hush,,https://A.example:443/hush";
    expect(problems({ ...SOLANA, RPC_URL })).toEqual([
      "RPC_URL: node 2 of 4 must be an http or https URL",
      "RPC_URL: node 3 of 4 must be an http or https URL",
      "RPC_URL: node 4 of 4 is the same URL as node 1",
    ]);
  });

  test("reads ways to send with their clusters, and a tip; their URLs are secrets", () => {
    const SEND_URLS = "https://send.example/hush-hush, https://b.example#mainnet-beta";
    const tip = { TIP_ACCOUNTS: SOLANA.DBC_CONFIG, TIP_LAMPORTS: "10000" };
    const config = readConfig({ ...SOLANA, SEND_URLS, ...tip });
    expect(config.chain).toMatchObject({
      sendUrls: ["https://send.example/hush-hush", "https://b.example#mainnet-beta"],
      tip: { accounts: [SOLANA.DBC_CONFIG], lamports: 10_000n },
    });
    expect(secretTexts(config)).toContain("/hush-hush");
    expect(problems({ ...SOLANA, SEND_URLS: "https://a.example#mainnet" })).toEqual([
      "SEND_URLS: sender 1 names no cluster after #: write mainnet-beta, devnet, testnet or a genesis hash",
    ]);
    expect(problems({ ...SOLANA, TIP_LAMPORTS: "1" })).toEqual([
      "TIP_ACCOUNTS and TIP_LAMPORTS are set together, or neither",
    ]);
  });
});

describe("a wrong value", () => {
  test.each([
    ["PORT", "65536", 'PORT was "65536", but must be a whole number from 0 to 65535'],
    ["PORT", "0x50", 'PORT was "0x50", but must be a whole number from 0 to 65535'],
    ["PORT", " 80", 'PORT was " 80", but must be a whole number from 0 to 65535'],
    ["PORT", "1e3", 'PORT was "1e3", but must be a whole number from 0 to 65535'],
    ["HOST", "a b", 'HOST was "a b", but must be a name or an IP address'],
    ["WORKER_CONCURRENCY", "0", 'was "0", but must be a whole number from 1 to 256'],
    ["LOG_LEVEL", "loud", 'was "loud", but must be one of trace, debug, info, warn, error, silent'],
    ["LOG_LEVEL", "INFO", 'was "INFO", but must be one of'],
    ["CHAIN", "mainnet", 'CHAIN was "mainnet", but must be one of local, solana'],
    ["PUBLIC_URL", "api.example.com", "PUBLIC_URL must be an http or https URL"],
    ["PUBLIC_URL", "ftp://example.com", "PUBLIC_URL must be an http or https URL"],
    ["CORS_ORIGINS", "app.example", "must be origins separated by commas"],
    ["CORS_ORIGINS", "https://app.example/", "must be origins separated by commas"],
    ["CORS_ORIGINS", "https://app.example:443", "must be origins separated by commas"],
    ["CORS_ORIGINS", "https://app.example,*", "must be origins separated by commas"],
    ["CORS_ORIGINS", "https://*.example", "must be origins separated by commas"],
    ["CORS_ORIGINS", "null", "must be origins separated by commas"],
    ["MIN_AGENT_SOL", "1,5", 'was "1,5", but must be an amount of SOL, written as 1 or 0.25'],
  ])("%s=%j stops the start and says what is allowed", (name, value, message) => {
    const [problem, ...others] = problems({ [name]: value });
    expect(problem).toContain(message);
    expect(problem?.startsWith(`${name} `)).toBe(true);
    expect(others).toEqual([]);
  });

  test("of a secret is measured in bytes and never repeated", () => {
    expect(problems({ JWT_SECRET: "hush-hush" })).toEqual([
      'JWT_SECRET was "9 bytes long", but must be at least 32 bytes',
    ]);
    expect(problems({ JWT_SECRET: "é".repeat(16) })).toEqual([]);
    expect(problems({ JWT_SECRET: "a".repeat(31) })).toHaveLength(1);
  });

  test("is named together with all others", () => {
    expect(problems({ PORT: "x", CHAIN: "y", LOG_LEVEL: "z" })).toHaveLength(3);
  });
});

describe("a server on PostgreSQL", () => {
  const SHARED: Env = { ...SOLANA, DATABASE_URL: "postgres://tokend:hush@db.internal/tokend" };

  test("reads its database, secrets, and how long it drains", () => {
    const env = { ...SHARED, MINT_SECRET: "Ab".repeat(32), DRAIN_SECONDS: "300" };
    expect(readConfig({ ...env, ACCEPT_CHANGE: SOLANA.DBC_CONFIG })).toMatchObject({
      databaseUrl: SHARED.DATABASE_URL,
      mintSecret: Buffer.alloc(32, 0xab),
      drainSeconds: 300,
      acceptedChanges: [SOLANA.DBC_CONFIG],
    });
  });

  test("refuses a wrong URL by its part, and does not repeat it", () => {
    expect(problems({ ...SHARED, DATABASE_URL: "postgres://u:hush@h:x/t" })).toEqual([
      "DATABASE_URL has a wrong host or port: write postgres://USER:PASSWORD@HOST:5432/DATABASE",
    ]);
  });

  test("has no sandbox, because its chain is inside one process", () => {
    expect(problems({ ...SHARED, CHAIN: "local" })).toEqual([
      "DATABASE_URL is set, but CHAIN is local: the sandbox's chain is inside one process, and servers that share a database need one chain; unset DATABASE_URL, or set CHAIN=solana and RPC_URL to a cluster, for example the one that tokend localnet serves",
    ]);
  });

  test.each([["hush"], ["hu".repeat(32)], ["ab".repeat(31)], ["ab".repeat(33)]])(
    "refuses the mint secret %s without repeating it",
    (secret) => {
      expect(problems({ ...SHARED, MINT_SECRET: secret })).toEqual([
        "MINT_SECRET must be 32 bytes in hex (64 digits), as openssl rand -hex 32 makes them",
      ]);
    },
  );
});

test("only a sandbox that others cannot reach sends events to its own machine", () => {
  const allows = (env: Record<string, string>) => readConfig(env).allowsLocalReceivers;
  expect(allows({})).toBe(true);
  expect(allows({ HOST: "0.0.0.0", ALLOW_REMOTE_SANDBOX: "true" })).toBe(false);
  expect(allows(SOLANA_SETTINGS)).toBe(false);
});

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;
const DAY_MS = 24 * HOUR_MS;

test("by default one address cannot use up the sign-ins of a wallet, and there are no metrics", () => {
  const { limits, metrics } = readConfig({});
  expect(limits.walletPerMinute).toBeGreaterThan(limits.authPerMinute);
  expect(metrics).toBeNull();
});

test("each variable of the limits replaces its default", () => {
  const { limits, metrics } = readConfig({
    RATE_LIMIT_AUTH_PER_MINUTE: "1",
    RATE_LIMIT_WALLET_PER_MINUTE: "2",
    RATE_LIMIT_AGENT_PER_MINUTE: "0",
    RATE_LIMIT_PUBLIC_PER_MINUTE: "3",
    TRUST_PROXY: "TRUE",
    ADDRESS_SHARE: "2",
    NETWORK_SHARE: "0",
    SPONSOR_CLAIMS: "false",
    ADMISSION: "invite",
    MIN_AGENT_SOL: "0.02",
    MAX_LAUNCHES_PER_HOUR: "8",
    MAX_QUEUE: "4",
    MAX_WAIT_HOURS: "2",
    MAX_LAUNCHES_PER_AGENT: "5",
    MAX_LAUNCHES_PER_ADDRESS: "6",
    LAUNCH_PAYER: "agent",
    SIGN_WITHIN_SECONDS: "60",
    TICKER_HOLD_HOURS: "0",
    MAX_IMAGES_PER_AGENT: "7",
    MAX_IMAGES_MB: "0",
    MAX_WEBHOOKS_PER_AGENT: "4",
    MAX_STREAMS_PER_AGENT: "8",
    MAX_STREAMS: "9",
    POOL_WATCH_SECONDS: "7",
    METRICS_HOST: "::",
    METRICS_PORT: "9090",
  });
  expect({ limits, metrics }).toEqual({
    limits: {
      authPerMinute: 1,
      walletPerMinute: 2,
      agentPerMinute: 0,
      publicPerMinute: 3,
      trustProxy: true,
      shares: { address: 2, network: 0 },
      exemptsLoopback: true,
      sponsorsClaims: false,
      minAgentLamports: 20_000_000n,
      launches: {
        admission: "invite",
        maxPerHour: 8,
        maxPending: 4,
        maxOfAgent: 5,
        maxOfAddress: 6,
        shares: { address: 2, network: 0 },
        maxWaitMs: 2 * HOUR_MS,
        payers: ["agent"],
        signWithinMs: 60_000,
        tickerHoldMs: 0,
      },
      images: {
        maxOfAgent: 7,
        space: sharesOf(Number.POSITIVE_INFINITY, 14 * MIB, { address: 0, network: 0 }),
      },
      maxWebhooksOfAgent: 4,
      events: {
        retentionMs: 30 * DAY_MS,
        streams: { total: 9, agent: 8, address: 8, network: 9 },
        watchEveryMs: 7_000,
      },
    },
    metrics: { host: "::", port: 9090 },
  });
});

test("on a real cluster an address has ten launches a day and a hundredth of the queue; 0 is no limit", () => {
  const launches = (env: Env) => readConfig({ ...SOLANA_SETTINGS, ...env }).limits.launches;
  expect(launches({})).toMatchObject({
    maxOfAddress: 10,
    maxOfAgent: 20,
    maxPerHour: Number.POSITIVE_INFINITY,
    shares: { address: 1, network: 10 },
    payers: ["operator"],
    tickerHoldMs: 24 * HOUR_MS,
  });
  const names = ["MAX_QUEUE", "MAX_WAIT_HOURS"];
  const endless = [...names, "MAX_LAUNCHES_PER_AGENT", "MAX_LAUNCHES_PER_ADDRESS"];
  expect(launches(Object.fromEntries(endless.map((name) => [name, "0"])))).toMatchObject({
    maxPending: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    maxOfAgent: Number.POSITIVE_INFINITY,
    maxOfAddress: Number.POSITIVE_INFINITY,
  });
});

test("a proxy that is not trusted is a warning on a real cluster behind it", () => {
  const warningOf = (env: Env = {}) => proxyWarning(readConfig({ ...SOLANA_SETTINGS, ...env }));
  expect(warningOf()).toContain("Set TRUST_PROXY=true");
  expect(warningOf({ TRUST_PROXY: "true" })).toBeNull();
  expect(warningOf({ PUBLIC_URL: "http://192.0.2.1:8787" })).toBeNull();
  expect(warningOf({ CHAIN: "local" })).toBeNull();
});

test("a URL of tokens on a real cluster that only this machine reaches is a problem", () => {
  const problemOf = (PUBLIC_URL: string, CHAIN = "solana") =>
    loopbackUrlProblem("PUBLIC_URL", readConfig({ ...SOLANA_SETTINGS, PUBLIC_URL, CHAIN }));
  for (const host of ["localhost", "127.0.0.1:8787", "127.9.9.9", "[::1]:1", "0.0.0.0"]) {
    expect(problemOf(`http://${host}`)).toContain("which only this machine reaches");
  }
  expect(problemOf("https://tokens.invalid")).toBeNull();
  expect(problemOf("http://127.0.0.1:8787", "local")).toBeNull();
});

test("a server warns of proxies, and a URL that only this machine reaches", () => {
  const env = {
    ...SOLANA_SETTINGS,
    RPC_URL: "https://rpc.example",
    PUBLIC_URL: "https://127.0.0.1:1",
    https_proxy: "http://proxy",
  };
  expect(settingsWarnings(readConfig(env), env)).toEqual([
    expect.stringContaining("HTTPS_PROXY is set: requests to RPC_URL pass that proxy"),
    expect.stringContaining("Set TRUST_PROXY=true"),
    expect.stringContaining("which only this machine reaches"),
  ]);
  expect(settingsWarnings(readConfig({}), {})).toEqual([]);
});

const read = (file: string) => readFileSync(join(import.meta.dir, "../../..", file), "utf8");

test("docs/settings.md says what the table of settings says", () => {
  expect(read("docs/settings.md"), "run `bun scripts/settings-page.ts`").toBe(settingsPage());
});

test("the sample of settings names no setting that does not exist", () => {
  const sample = [...read("ops/tokend.env.example").matchAll(/^#?([A-Z_]+)=/gm)];
  const names = sample.map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  // libpq's own.
  expect(names.filter((name) => !(name in SETTINGS) && name !== "PGPASSWORD")).toEqual([]);
});
