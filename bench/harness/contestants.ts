import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addressOf } from "./agents.ts";
import type { Contestant } from "./contestant.ts";
import { benchFolder, dataFolder } from "./paths.ts";

const peer = (file: string) => join(benchFolder, "peers", file);

/** The service as it ships, without the limits that would turn a benchmark away. */
export const tokend: Contestant = {
  name: "tokend",
  command: [process.execPath, "server/src/main.ts", "serve"],
  env: {
    LOG_LEVEL: "warn",
    RATE_LIMIT_AUTH_PER_MINUTE: "0",
    RATE_LIMIT_WALLET_PER_MINUTE: "0",
    RATE_LIMIT_AGENT_PER_MINUTE: "0",
    RATE_LIMIT_PUBLIC_PER_MINUTE: "0",
    MAX_LAUNCHES_PER_AGENT: "0",
    MAX_LAUNCHES_PER_ADDRESS: "0",
    MAX_QUEUE: "0",
  },
};

function limit(name: string, env: Record<string, string> = {}): Contestant {
  return {
    name,
    command: [process.execPath, peer("bun-limit.ts")],
    env: { COMMIT: "group", ED25519: "native", REMEMBER: "no", ...env },
  };
}

/** Written by hand on Bun.serve and bun:sqlite. */
export const handWritten = limit("hand-written");
export const handWrittenRemembering = limit("hand-written, remembers verified tokens", {
  REMEMBER: "yes",
});
export const handWrittenTweetnacl = limit("hand-written, tweetnacl", { ED25519: "tweetnacl" });
export const handWrittenCommitEach = limit("hand-written, one commit per request", {
  COMMIT: "each",
});

export const hono: Contestant = {
  name: "Hono on Bun",
  command: [process.execPath, peer("hono.mjs")],
  env: {},
};

export const fastify: Contestant = {
  name: "Fastify on Node",
  command: ["node", peer("fastify.mjs")],
  env: { NODE_ENV: "production" },
};

/**
 * The service on a cluster that cannot be reached: it accepts launches, and its worker waits for
 * the chain.
 */
export function withoutChain(contestant: Contestant): Contestant {
  mkdirSync(dataFolder, { recursive: true });
  const keypair = join(dataFolder, "launch-wallet.json");
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const bytes = [privateKey.export({ format: "jwk" }).d, publicKey.export({ format: "jwk" }).x];
  const secretKey = Buffer.concat(bytes.map((text) => Buffer.from(text ?? "", "base64url")));
  writeFileSync(keypair, JSON.stringify([...secretKey]), { mode: 0o600 });
  return {
    ...contestant,
    env: {
      ...contestant.env,
      LOG_LEVEL: "silent",
      CHAIN: "solana",
      RPC_URL: "http://127.0.0.1:1",
      LAUNCH_KEYPAIR: keypair,
      DBC_CONFIG: addressOf("config"),
      PUBLIC_URL: "https://tokens.example",
      MAX_DAILY_SPEND_SOL: "unlimited",
    },
  };
}
