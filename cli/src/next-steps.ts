import type { LaunchStatus, LaunchStatusName, Network } from "@tokenctl/sdk";
import { isUuid } from "@tokenctl/shared/uuid";

/** @returns the lines to show after a launch; none if it made no token */
export function afterLaunch(
  network: Network | undefined,
  { ticker, tokenMint }: LaunchStatus,
): string[] {
  if (tokenMint === null) return [];
  // A hostile server's text must not become part of a command.
  const token = /^[A-Z0-9]{2,10}$/.test(ticker) ? ticker : tokenMint;
  return [
    ...explorerLines(network, "address", tokenMint),
    `Next: \`tokenctl fees\` shows what it earns, \`tokenctl claim ${token}\` claims it`,
  ];
}

export function comeBack(eventId: string): string {
  return `Next: \`tokenctl status ${eventId} --wait\` waits until the token is on chain`;
}

/** @returns the lines to show after claims; none if no claim has paid */
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

export function afterHandOver(
  network: Network | undefined,
  transactionHash: string,
  mint: string,
): string[] {
  return [
    ...explorerLines(network, "tx", transactionHash),
    `Next: the receiver runs \`tokenctl accept ${mint}\``,
  ];
}

function explorerLines(network: Network | undefined, kind: "address" | "tx", id: string): string[] {
  // It knows only the public clusters, and would look for others on mainnet-beta.
  if (!network || !["mainnet-beta", "devnet", "testnet"].includes(network)) return [];
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return [`See https://explorer.solana.com/${kind}/${id}${cluster}`];
}

/** @returns what to do about the launch that has a ticker if it is the wallet's own; otherwise undefined */
export function aboutOwnLaunch({
  eventId,
  status,
}: {
  readonly eventId?: string | undefined;
  readonly status?: LaunchStatusName | undefined;
}): string | undefined {
  // A hostile server's text must not become part of a command.
  if (eventId === undefined || !isUuid(eventId)) return undefined;
  if (status === "pending") {
    return `It is your own launch, which is pending: \`tokenctl status ${eventId} --wait\` waits for it`;
  }
  if (status === "success") {
    return `It is your own launch, which has made the token: \`tokenctl status ${eventId}\` shows it`;
  }
  return `It is your own launch, which ended without a token: \`tokenctl retry ${eventId}\` launches it again`;
}
