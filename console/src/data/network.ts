import { TokenctlClient } from "@tokenctl/sdk";
import { useLoad } from "./load.ts";

/** The chain that the server launches on. */
export type Network = "sandbox" | "mainnet-beta" | "devnet" | "testnet" | "localnet" | "private";

/** What people call it. */
export const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  sandbox: "Sandbox",
  "mainnet-beta": "Solana",
  devnet: "Devnet",
  testnet: "Testnet",
  localnet: "Localnet",
  private: "Private cluster",
};

/** Reads the server's health, which needs no wallet. */
export function useHealth() {
  return useLoad((signal) => anyone.health({ signal }), []);
}

const anyone = new TokenctlClient({ apiUrl: location.origin });

/** @returns an explorer's page; null if no explorer knows the network */
export function explorerLink(network: Network, kind: "tx" | "address", id: string): string | null {
  if (["sandbox", "localnet", "private"].includes(network)) return null;
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return `https://explorer.solana.com/${kind}/${id}${cluster}`;
}
