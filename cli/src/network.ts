import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Network, TokenctlClient } from "@tokenctl/sdk";
import { configFolder } from "./config-file.ts";
import type { Context } from "./context.ts";

/**
 * How long to ask for a network's name, which no command needs, in milliseconds: longer than it takes
 * until a silent server is said to be silent.
 */
const NETWORK_TIMEOUT_MS = 5_000;

/** @returns the chain behind the server; undefined if the server does not say */
export async function readNetwork(
  client: TokenctlClient,
  signal: AbortSignal,
): Promise<Network | undefined> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(NETWORK_TIMEOUT_MS)]);
  try {
    return (await client.health({ signal: inTime })).network;
  } catch {
    return undefined;
  }
}

/**
 * Finds out which chain a command is about to use, and warns before a wallet first uses real money
 * with a server. What it has warned of it keeps beside the configuration.
 */
export async function enterNetwork(
  { notices, signal, env, settings }: Context,
  client: TokenctlClient,
): Promise<Network | undefined> {
  const network = await readNetwork(client, signal);
  if (network !== "mainnet-beta") return network;
  const path = join(configFolder(env), "mainnet-wallets");
  const pair = `${client.address} ${client.apiUrl}\n`;
  if (readText(path).includes(pair)) return network;
  notices.warn(
    `${client.apiUrl} is on mainnet-beta: from here on ${client.address} uses real money`,
  );
  // With --quiet nobody has read it.
  if (settings.quiet) return network;
  try {
    mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
    writeFileSync(path, pair, { flag: "a", mode: 0o600 });
  } catch {
    // Then the next command warns again.
  }
  return network;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** @returns where people look at an address or a transaction; null if that network has no explorer */
function explorerUrl(
  network: Network | undefined,
  kind: "address" | "tx",
  id: string,
): string | null {
  // Only the public clusters are in it: with the name of another it would look on mainnet-beta.
  if (!network || !["mainnet-beta", "devnet", "testnet"].includes(network)) return null;
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return `https://explorer.solana.com/${kind}/${id}${cluster}`;
}

/** @returns the lines that show something in an explorer; none if its network has none */
export function explorerLines(
  network: Network | undefined,
  kind: "address" | "tx",
  id: string,
): string[] {
  const url = explorerUrl(network, kind, id);
  return url === null ? [] : [`See ${url}`];
}
