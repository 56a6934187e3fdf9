import type { Network } from "./types.ts";

/** The genesis hashes of the public clusters. Source: Solana's documentation, Clusters. */
const CLUSTERS: Readonly<Record<string, Network>> = {
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet-beta",
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: "devnet",
  "4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x": "testnet",
};

export const PLAY: readonly unknown[] = ["sandbox", "localnet"];

const EXPLORED = ["mainnet-beta", "devnet", "testnet"];

/** Returns a page of Solana's explorer; null on clusters that it takes for mainnet-beta. */
export function explorerUrl(
  network: Network | null | undefined,
  kind: "address" | "tx",
  id: string,
): string | null {
  if (!network || !EXPLORED.includes(network)) return null;
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return `https://explorer.solana.com/${kind}/${id}${cluster}`;
}

export function networkOf(genesisHash: string): Network {
  return CLUSTERS[genesisHash] ?? "private";
}
