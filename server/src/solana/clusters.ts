import type { Network } from "@tokenctl/shared/types";
import { isLoopback } from "../base/loopback.ts";

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

export function networkOf(genesisHash: string): Network {
  return CLUSTERS[genesisHash] ?? "private";
}

/**
 * @param rpcUrls the addresses of the network's nodes
 * @returns `localnet` for a private network whose nodes are all on this machine, otherwise the network
 */
export function orLocalnet(network: Network | null, rpcUrls: readonly string[]): Network | null {
  const isHere = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
  return network === "private" && rpcUrls.every(isHere) ? "localnet" : network;
}
