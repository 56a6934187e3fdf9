import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Network, TokenctlClient } from "@tokenctl/sdk";
import { configFolder } from "./config-file.ts";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";

/** Milliseconds to wait for the network's name, which no command needs: longer than until a notice of silence. */
const NETWORK_TIMEOUT_MS = 5_000;

/** @returns the server's chain; undefined if the server does not name it */
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

/** Reads a command's chain, and warns once before a wallet uses real money with a server. */
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
    `${client.apiUrl} is on mainnet-beta: from now on ${client.address} uses real money`,
  );
  // With --quiet the warning was not shown.
  if (settings.quiet) return network;
  try {
    mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
    writeFileSync(path, pair, { flag: "a", mode: 0o600 });
  } catch {
    // The next command warns again.
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

/** The chains whose SOL has no value. */
export const PLAY: readonly unknown[] = ["sandbox", "localnet"];

/**
 * Asks at a terminal before a command does what cannot be undone, unless SOL has no value there.
 * @throws {CliError} `declined` unless the answer is yes, or `--yes` was given
 */
export async function confirm(
  { ask }: Pick<Context, "ask">,
  action: string,
  { network, isAgreed = false }: { network: Network | undefined; isAgreed?: boolean | undefined },
): Promise<void> {
  if (isAgreed || ask === null || PLAY.includes(network)) return;
  const answer = await ask(`${action} on ${network ?? "an unknown chain"}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CliError("declined", "Nothing was done", { hint: "Answer y, or add --yes" });
}
