import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import bs58 from "bs58";
import { eventIdOf, tokensOf } from "./agents.ts";
import { dataFolder } from "./paths.ts";
import { agentOf } from "./seed.ts";

/** Different requests that take turns in a run. */
const REQUESTS = 1_000;

/** More sessions than the service remembers. */
const SESSIONS = 15_000;

/** Numbers up to a limit in an order that looks random and is the same in every run. */
function scattered(limit: number, count = Math.min(REQUESTS, limit)): number[] {
  return Array.from({ length: count }, (_, index) => (index * 982_451_653) % limit);
}

/**
 * Writes the requests of a run for `get.lua`: status polls of launches all over the database.
 *
 * @param launches how many are seeded
 * @returns the file
 */
export function statusRequests(launches: number): Promise<string> {
  return pollsOf("status.requests", scattered(launches));
}

/** The same for many more launches, each with its own bearer token. */
export function manySessions(launches: number): Promise<string> {
  return pollsOf("sessions.requests", scattered(launches, SESSIONS));
}

/** Token lists of agents all over the database, for `get.lua`. */
export async function listRequests(launches: number): Promise<string> {
  const tokens = await tokensOf(scattered(agentOf(launches)));
  return write(
    "list.requests",
    tokens.map((token) => `/api/v1/tokens/ ${token}`),
  );
}

/** Bearer tokens of agents, for `launch.lua`. */
export async function launchTokens(agents: number): Promise<string> {
  return write("launch.tokens", await tokensOf(scattered(agents)));
}

/** Pages that need no sign-in, for `get.lua`, which sends some token. */
export function pageRequests(name: string, paths: readonly string[]): string {
  return write(
    `${name}.pages`,
    paths.map((path) => `${path} none`),
  );
}

/** A wallet for the one thread of wrk, for `sign-in.lua`. */
export function signInWallets(): string {
  const { privateKey, wallet } = newWallet();
  const seed = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  return write("sign-in.wallets", [`${wallet} ${seed.toString("hex")}`]);
}

export function newWallet(): { readonly privateKey: KeyObject; readonly wallet: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const bytes = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  return { privateKey, wallet: bs58.encode(bytes) };
}

async function pollsOf(name: string, launches: readonly number[]): Promise<string> {
  const tokens = await tokensOf(launches.map(agentOf));
  const lines = launches.map(
    (launch, index) => `/api/v1/tokens/launch/status/${eventIdOf(launch)} ${tokens[index]}`,
  );
  return write(name, lines);
}

function write(name: string, lines: readonly string[]): string {
  mkdirSync(dataFolder, { recursive: true });
  const path = join(dataFolder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
