import type { Connection } from "@solana/web3.js";

/** How far the chain had come in one bank: both numbers belong together. */
export interface Tip {
  readonly slot: number;
  readonly blockHeight: number;
}

/** Where the chain is, in one request (`getBlockHeight` would not say at which slot). */
export async function readTip(connection: Connection): Promise<Tip> {
  const { absoluteSlot, blockHeight } = await connection.getEpochInfo("confirmed");
  if (blockHeight === undefined) throw new Error("getEpochInfo told no block height");
  return { slot: absoluteSlot, blockHeight };
}
