import type { Network } from "@tokenctl/shared/types";

/** Genesis hashes by which the public clusters are known. Source: Solana's documentation, Clusters. */
const CLUSTERS: Readonly<Record<string, Network>> = {
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet-beta",
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: "devnet",
  "4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x": "testnet",
};

/** @returns what people call a cluster, for example `mainnet-beta` */
export function clusterName(genesisHash: string): string {
  return CLUSTERS[genesisHash] ?? `a cluster of its own (genesis ${genesisHash})`;
}

/** @returns the cluster as clients read it */
export function networkOf(genesisHash: string): Network {
  return CLUSTERS[genesisHash] ?? "private";
}
