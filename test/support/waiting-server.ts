import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { tempFolder } from "./processes.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** Starts the service for a real cluster that cannot be reached: it accepts launches, and they wait. */
export async function startWaitingServer(
  env: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const folder = tempFolder();
  const keypair = join(folder.path, "launch.json");
  writeFileSync(keypair, JSON.stringify([...Keypair.generate().secretKey]), { mode: 0o600 });
  const settings = {
    CHAIN: "solana",
    // Nothing listens there.
    RPC_URL: "http://127.0.0.1:9",
    LAUNCH_KEYPAIR: keypair,
    DBC_CONFIG: Keypair.generate().publicKey.toBase58(),
    PUBLIC_URL: "https://tokens.example",
    MAX_DAILY_SPEND_SOL: "1",
    TRUST_PROXY: "true",
    ...env,
  };
  const server = await startTestServer(settings);
  return {
    get url() {
      return server.url;
    },
    get metricsUrl() {
      return server.metricsUrl;
    },
    clock: server.clock,
    config: server.config,
    restart: () => server.restart(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
