import type { Health } from "@tokenctl/sdk";
import { explorerUrl } from "@tokenctl/shared/clusters";
import { useEffect, useRef } from "preact/hooks";
import { type Loaded, recoveries, useEvery, useLoad } from "./load.ts";
import { anyone } from "./read.ts";
import { type Network, Shared, useShared } from "./shared.ts";

export const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  sandbox: "Sandbox",
  "mainnet-beta": "Solana",
  devnet: "Devnet",
  testnet: "Testnet",
  localnet: "Localnet",
  private: "Private cluster",
};

/** The server's network; null until it is known. */
export const network = new Shared<Network | null>(null);

/** Who may pay for a launch; undefined if only the service does. */
export const launchPayers = new Shared<Health["launchPayers"]>(undefined);

export const useServicePays = () => useShared(launchPayers)?.includes("operator") ?? true;

export function useHealth(): Loaded<Health> {
  const health = useLoad((signal) => anyone.health({ signal }), []);
  const { data, error, reload } = health;
  const isBad = error !== null || data?.ok === false;
  useEffect(() => {
    if (data === null) return;
    network.set(data.network ?? network.value);
    launchPayers.set(data.launchPayers);
  }, [data]);
  const wasBad = useRef(false);
  useEffect(() => {
    if (wasBad.current && !isBad) recoveries.set(recoveries.value + 1);
    wasBad.current = isBad;
  }, [isBad]);
  useEvery(15_000, reload);
  return health;
}

/** Returns the URL of a public node of the network, or a shell variable for it. */
export function publicNode(name: Network | null): string {
  const isPublic = name === "mainnet-beta" || name === "devnet" || name === "testnet";
  return isPublic ? `https://api.${name}.solana.com` : '"$RPC_URL"';
}

/** Returns the URL of an explorer's page; null if no explorer knows the network. */
export const explorerLink = (kind: "tx" | "address", id: string) =>
  explorerUrl(network.value, kind, id);
