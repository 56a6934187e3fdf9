import type { Network } from "@tokenctl/sdk";

/** The chains whose SOL has no value. */
export const PLAY: readonly unknown[] = ["sandbox", "localnet"];

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
