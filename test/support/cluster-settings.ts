import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keypair } from "@solana/web3.js";
import { generateKeypair } from "../../server/src/base/native-keys.ts";

export interface KeypairFile {
  readonly path: string;
  readonly keypair: Keypair;
  readonly address: string;
}

export function writeKeypairFile(folder: string, name = "launch.json"): KeypairFile {
  const keypair = generateKeypair();
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
  return { path, keypair, address: keypair.publicKey.toBase58() };
}

const NO_NODE = "http://127.0.0.1:9";

/**
 * Settings with which a server starts on a cluster whose config does not exist, so that it accepts
 * launches and deploys none.
 *
 * @param folder gets the launch wallet's keypair
 */
export function clusterSettings(
  folder: string,
  rpcUrl = NO_NODE,
): { readonly env: Readonly<Record<string, string>>; readonly wallet: KeypairFile } {
  const wallet = writeKeypairFile(folder);
  const env = {
    CHAIN: "solana",
    RPC_URL: rpcUrl,
    LAUNCH_KEYPAIR: wallet.path,
    DBC_CONFIG: generateKeypair().publicKey.toBase58(),
    PUBLIC_URL: "https://tokens.example",
    MAX_DAILY_SPEND_SOL: "1",
  };
  return { env, wallet };
}

/**
 * A node that takes requests and does not answer them until it is released; then, and while it is not
 * silent, it answers each with an error.
 */
export function silentNode(isSilent = true) {
  let released = Promise.withResolvers<void>();
  let asked = Promise.withResolvers<void>();
  if (!isSilent) released.resolve();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      asked.resolve();
      await released.promise;
      return new Response("away", { status: 503 });
    },
  });
  return {
    url: server.url.href,
    /** Settings of a server whose RPC it is. @param folder gets the launch wallet's keypair */
    settings: (folder: string) => clusterSettings(folder, server.url.href).env,
    /** Resolves at the first request since the start, or since it fell silent again. */
    asked: () => asked.promise,
    release: () => released.resolve(),
    fallSilent() {
      released = Promise.withResolvers();
      asked = Promise.withResolvers();
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}
