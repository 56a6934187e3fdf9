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
import { loopbackUrlProblem, proxyWarning } from "./warnings.ts";

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

test("a URL of tokens on a real cluster that only this machine reaches is a problem", () => {
  const problemOf = (PUBLIC_URL: string, CHAIN = "solana") =>
    loopbackUrlProblem("PUBLIC_URL", readConfig({ ...SOLANA_SETTINGS, PUBLIC_URL, CHAIN }));
  for (const host of ["localhost", "127.0.0.1:8787", "127.9.9.9", "[::1]:1", "0.0.0.0"]) {
    expect(problemOf(`http://${host}`)).toContain("which only this machine reaches");
  }
  expect(problemOf("https://tokens.invalid")).toBeNull();
  expect(problemOf("http://127.0.0.1:8787", "local")).toBeNull();
});

test.each([
  [{ TRUST_PROXY: "false" }, "Set TRUST_PROXY=true", 1],
  [{ TRUST_PROXY: "true" }, "Set TRUST_PROXY=true", 0],
  [{ PUBLIC_URL: "http://127.0.0.1:1" }, "which only this machine reaches", 1],
])("a server with %j logs the warning when it starts", async (settings, text, times) => {
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
    ...settings,
  };
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const server = await startServer(readConfig(env), { clock: systemClock, log });
  await server.stop();
  expect(lines.filter((line) => line.includes(text))).toHaveLength(times);
});
