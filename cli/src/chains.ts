import type { Network } from "@tokenctl/sdk";

/** Returns a line with an explorer link on a public cluster, and no line on any other chain. */
export function explorerLines(
  network: Network | undefined,
  kind: "address" | "tx",
  id: string,
): string[] {
  // The explorer would look up an unknown cluster's address on mainnet-beta.
  if (!network || !["mainnet-beta", "devnet", "testnet"].includes(network)) return [];
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return [`See https://explorer.solana.com/${kind}/${id}${cluster}`];
}
