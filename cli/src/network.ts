import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Network, TokenctlClient } from "@tokenctl/sdk";
import { configFolder } from "./config-file.ts";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";

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
  // With --quiet it was not shown.
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

/** The chains whose SOL is worth nothing. */
const PLAY: readonly (Network | undefined)[] = ["sandbox", "localnet"];

/**
 * Asks once at a terminal before a command does what cannot be undone, unless the chain is the user's own.
 * Scripts are not asked.
 *
 * @param network undefined if the server does not say, which counts as real
 * @param isAgreed whether `--yes` was given
 * @throws {CliError} `declined` unless the answer is yes
 */
export async function confirm(
  { ask }: Pick<Context, "ask">,
  action: string,
  { network, isAgreed = false }: { network: Network | undefined; isAgreed?: boolean | undefined },
): Promise<void> {
  if (isAgreed || ask === null || PLAY.includes(network)) return;
  const answer = await ask(`${action} on ${network ?? "a chain that it does not name"}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CliError("declined", "Nothing was done", { hint: "Answer y, or add --yes" });
}
