import type { LaunchStatus, Network } from "@tokenctl/sdk";
import { explorerLines } from "./network.ts";

/** @returns the lines to show after a launch: none if it has made no token */
export function afterLaunch(
  network: Network | undefined,
  { ticker, tokenMint }: LaunchStatus,
): string[] {
  if (tokenMint === null) return [];
  // A hostile server's text must not become a part of a command.
  const token = /^[A-Z0-9]{2,10}$/.test(ticker) ? ticker : tokenMint;
  return [
    ...explorerLines(network, "address", tokenMint),
    `Next: \`tokenctl fees\` shows what it earns, \`tokenctl claim ${token}\` claims it`,
  ];
}

/** @returns the line to show after a launch that nobody waits for */
export function afterAcceptance(eventId: string): string[] {
  return [`Next: \`tokenctl status ${eventId} --wait\` waits until the token is on chain`];
}

/**
 * @param transactionHashes of the claims that have paid; several tokens may share a transaction
 * @returns the lines to show after claims: none if none has paid
 */
export function afterClaims(
  network: Network | undefined,
  transactionHashes: readonly string[],
): string[] {
  if (transactionHashes.length === 0) return [];
  return [
    ...[...new Set(transactionHashes)].flatMap((hash) => explorerLines(network, "tx", hash)),
    "Next: `tokenctl history` lists what was paid",
  ];
}
