import type { Network } from "./types.ts";

/** The genesis hashes of the public clusters. Source: Solana's documentation, Clusters. */
const CLUSTERS: Readonly<Record<string, Network>> = {
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet-beta",
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: "devnet",
  "4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x": "testnet",
};

/** The chains whose SOL has no value. */
export const PLAY: readonly unknown[] = ["sandbox", "localnet"];

export function networkOf(genesisHash: string): Network {
  return CLUSTERS[genesisHash] ?? "private";
}
