import type { Network } from "@tokenctl/sdk";

/** @returns a line with a link to an explorer of a public cluster; none for other chains */
export function explorerLines(
  network: Network | undefined,
  kind: "address" | "tx",
  id: string,
): string[] {
  // It knows only the public clusters, and would look for others on mainnet-beta.
  if (!network || !["mainnet-beta", "devnet", "testnet"].includes(network)) return [];
  const cluster = network === "mainnet-beta" ? "" : `?cluster=${network}`;
  return [`See https://explorer.solana.com/${kind}/${id}${cluster}`];
}
