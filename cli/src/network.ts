import { join } from "node:path";
import type { Network } from "@tokenctl/sdk";
import { explorerUrl } from "@tokenctl/shared/clusters";
import type { Desk } from "./desk.ts";
import { CliError, UsageError } from "./errors.ts";
import { configFolder, readText, writePrivate } from "./own-files.ts";

/** Milliseconds to wait for the optional name of the chain; the silence notice comes earlier. */
const NETWORK_TIMEOUT_MS = 5_000;

/** Returns the chain, from the node if there is one; undefined if neither names it. */
export async function readNetwork({
  client,
  signal,
}: Pick<Desk, "client" | "signal">): Promise<Network | undefined> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(NETWORK_TIMEOUT_MS)]);
  try {
    return await client.network({ signal: inTime });
  } catch {
    return undefined;
  }
}

/** Reads a command's chain, and warns before a wallet's first use of real money with a server. */
export async function enterNetwork(desk: Desk): Promise<Network | undefined> {
  const { client, env, notices, settings } = desk;
  const network = await readNetwork(desk);
  if (network !== "mainnet-beta") return network;
  const path = join(configFolder(env), "mainnet-wallets");
  const pair = `${client.address} ${client.apiUrl}\n`;
  const known = readText(path);
  if (known.includes(pair)) return network;
  notices.warn(
    `${client.apiUrl} is on mainnet-beta: from now on ${client.address} uses real money`,
  );
  // With --quiet the user did not see the warning.
  if (settings.quiet) return network;
  try {
    writePrivate(path, known + pair, { replaces: true });
  } catch {
    // The file is not essential: the next command warns again.
  }
  return network;
}

/** @throws {UsageError} in a script without `--yes`, where no question is possible */
export function needsYes({ ask, model }: Desk, why: string, isAgreed = false): void {
  if (isAgreed || ask !== null || model !== null) return;
  throw new UsageError(why, "Add --yes where no question can be asked");
}

/** Returns a line with an explorer link on a public cluster, and no line on any other chain. */
export function explorerLines(
  network: Network | undefined,
  kind: "address" | "tx",
  id: string,
): string[] {
  const url = explorerUrl(network, kind, id);
  return url === null ? [] : [`See ${url}`];
}

/** Returns the URL of a token's public page. @throws {CliError} if the server's mint is invalid */
export function pageOf({ apiUrl }: Desk["client"], tokenMint: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(tokenMint)) return `${apiUrl}/t/${tokenMint}`;
  throw new CliError("invalid_response", "The token's mint from the server is not an address");
}
