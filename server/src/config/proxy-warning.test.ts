import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import pino from "pino";
import { systemClock } from "../base/clock.ts";
import { startServer } from "../server.ts";
import { SOLANA_SETTINGS } from "../testing/solana-settings.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { readConfig } from "./config.ts";
import { proxyWarning } from "./proxy-warning.ts";

test("the operator is warned of a proxy that is not trusted", () => {
  expect(proxyWarning(readConfig(SOLANA_SETTINGS))).toContain("Set TRUST_PROXY=true");
});

test.each([
  ["the proxy is trusted", { TRUST_PROXY: "true" }],
  ["there is no proxy", { PUBLIC_URL: "http://192.0.2.1:8787" }],
  ["nothing counts addresses", { MAX_LAUNCHES_PER_ADDRESS: "0", MAX_QUEUE: "0" }],
  ["it is the sandbox", { CHAIN: "local" }],
])("there is no warning if %s", (_, env) => {
  expect(proxyWarning(readConfig({ ...SOLANA_SETTINGS, ...env }))).toBeNull();
});

test("there is a warning even if only the queue is shared by address", () => {
  const env = { ...SOLANA_SETTINGS, MAX_LAUNCHES_PER_ADDRESS: "0" };
  expect(proxyWarning(readConfig(env))).not.toBeNull();
});

test.each([
  ["false", 1],
  ["true", 0],
])(
  "a server with TRUST_PROXY=%s logs the warning %d times when it starts",
  async (trusted, times) => {
    using folder = tempDir();
    const keypair = join(folder.path, "launch.json");
    writeFileSync(keypair, JSON.stringify([...Keypair.generate().secretKey]), { mode: 0o600 });
    const env = {
      ...SOLANA_SETTINGS,
      // No node listens there.
      RPC_URL: "http://127.0.0.1:9",
      LAUNCH_KEYPAIR: keypair,
      DATA_DIR: join(folder.path, "data"),
      PORT: "0",
      TRUST_PROXY: trusted,
    };
    const lines: string[] = [];
    const log = pino({}, { write: (line) => lines.push(line) });
    const server = await startServer(readConfig(env), { clock: systemClock, log });
    await server.stop();
    expect(lines.filter((line) => line.includes("Set TRUST_PROXY=true"))).toHaveLength(times);
  },
);
