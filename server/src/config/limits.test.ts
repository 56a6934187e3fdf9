import { expect, test } from "bun:test";
import { sharesOf } from "../domain/shares.ts";
import { SOLANA_SETTINGS } from "../testing/solana-settings.ts";
import { readConfig } from "./config.ts";

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;
const DAY_MS = 24 * HOUR_MS;

test("by default one address cannot use up the sign-ins of a wallet, and there are no metrics", () => {
  const { limits, metrics } = readConfig({});
  expect(limits.walletPerMinute).toBeGreaterThan(limits.authPerMinute);
  expect(metrics).toBeNull();
});

test("each variable of the limits replaces its default", () => {
  const { limits, metrics, jwtSecretPrevious } = readConfig({
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
    EVENT_RETENTION_DAYS: "7",
    MAX_WEBHOOKS_PER_AGENT: "4",
    MAX_STREAMS_PER_AGENT: "8",
    MAX_STREAMS: "9",
    POOL_WATCH_SECONDS: "7",
    METRICS_HOST: "::",
    METRICS_PORT: "9090",
    JWT_SECRET_PREVIOUS: "p".repeat(32),
  });
  expect({ limits, metrics, jwtSecretPrevious }).toEqual({
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
        retentionMs: 7 * DAY_MS,
        streams: { total: 9, agent: 8, address: 8, network: 9 },
        watchEveryMs: 7_000,
      },
    },
    metrics: { host: "::", port: 9090 },
    jwtSecretPrevious: "p".repeat(32),
  });
});

test("on a real cluster an address has ten launches a day and a hundredth of the queue", () => {
  const launches = (env: Record<string, string>) =>
    readConfig({ ...SOLANA_SETTINGS, ...env }).limits.launches;
  expect(launches({})).toMatchObject({
    maxOfAddress: 10,
    maxOfAgent: 20,
    shares: { address: 1, network: 10 },
  });
});

test("0 is no limit", () => {
  const endless = {
    MAX_QUEUE: "0",
    MAX_WAIT_HOURS: "0",
    MAX_LAUNCHES_PER_AGENT: "0",
    MAX_LAUNCHES_PER_ADDRESS: "0",
  };
  expect(readConfig({ ...SOLANA_SETTINGS, ...endless }).limits.launches).toEqual({
    admission: "open",
    maxPerHour: Number.POSITIVE_INFINITY,
    maxPending: Number.POSITIVE_INFINITY,
    maxOfAgent: Number.POSITIVE_INFINITY,
    maxOfAddress: Number.POSITIVE_INFINITY,
    shares: { address: 1, network: 10 },
    maxWaitMs: Number.POSITIVE_INFINITY,
    payers: ["operator"],
    signWithinMs: 300_000,
    tickerHoldMs: 24 * HOUR_MS,
  });
});

test.each([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
])("TRUST_PROXY=%p is read as %p", (text, trusted) => {
  expect(readConfig({ TRUST_PROXY: text }).limits.trustProxy).toBe(trusted);
});
