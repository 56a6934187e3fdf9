import { expect, test } from "bun:test";
import { readConfig } from "./config.ts";

test("default: limits that one client alone cannot turn against another, and no metrics", () => {
  const { limits, metrics, jwtSecretPrevious } = readConfig({});
  expect({ limits, metrics, jwtSecretPrevious }).toEqual({
    limits: {
      authPerMinute: 600,
      walletPerMinute: 1_200,
      agentPerMinute: 600,
      trustProxy: false,
      maxQueue: 10_000,
    },
    metrics: null,
    jwtSecretPrevious: null,
  });
  // Else one address could use up what a wallet has, and lock it out.
  expect(limits.walletPerMinute).toBeGreaterThan(limits.authPerMinute);
});

test("every variable is read", () => {
  const { limits, metrics, jwtSecretPrevious } = readConfig({
    RATE_LIMIT_AUTH_PER_MINUTE: "1",
    RATE_LIMIT_WALLET_PER_MINUTE: "2",
    RATE_LIMIT_AGENT_PER_MINUTE: "0",
    TRUST_PROXY: "TRUE",
    MAX_QUEUE: "4",
    METRICS_HOST: "::",
    METRICS_PORT: "9090",
    JWT_SECRET_PREVIOUS: "p".repeat(32),
  });
  expect({ limits, metrics, jwtSecretPrevious }).toEqual({
    limits: {
      authPerMinute: 1,
      walletPerMinute: 2,
      agentPerMinute: 0,
      trustProxy: true,
      maxQueue: 4,
    },
    metrics: { host: "::", port: 9090 },
    jwtSecretPrevious: "p".repeat(32),
  });
});

test.each([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
])("TRUST_PROXY=%p is %p", (text, trusted) => {
  expect(readConfig({ TRUST_PROXY: text }).limits.trustProxy).toBe(trusted);
});

test.each([
  ["RATE_LIMIT_AUTH_PER_MINUTE", "-1", "a whole number from 0 to 1000000"],
  ["RATE_LIMIT_WALLET_PER_MINUTE", "many", "a whole number from 0 to 1000000"],
  ["RATE_LIMIT_AGENT_PER_MINUTE", "1e3", "a whole number from 0 to 1000000"],
  ["MAX_QUEUE", "0", "a whole number from 1 to 10000000"],
  ["METRICS_PORT", "65536", "a whole number from 0 to 65535"],
  ["TRUST_PROXY", "yes", "true or false"],
])("behavior: %s=%s stops the start", (name, value, allowed) => {
  expect(() => readConfig({ [name]: value })).toThrow(
    `${name} was "${value}", but must be ${allowed}`,
  );
});

test("behavior: a short previous secret is refused, and not repeated", () => {
  expect(() => readConfig({ JWT_SECRET_PREVIOUS: "hush" })).toThrow(
    'JWT_SECRET_PREVIOUS was "4 bytes long", but must be at least 32 bytes',
  );
});
