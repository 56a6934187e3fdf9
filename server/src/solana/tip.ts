import type { Connection, Finality } from "@solana/web3.js";

/** The latest slot and block height, both of the same bank. */
export interface Tip {
  readonly slot: number;
  readonly blockHeight: number;
}

/** Reads both in one request (`getBlockHeight` would not return the slot). */
export async function readTip(
  connection: Connection,
  commitment: Finality = "confirmed",
): Promise<Tip> {
  const { absoluteSlot, blockHeight } = await connection.getEpochInfo(commitment);
  if (blockHeight === undefined) throw new Error("getEpochInfo returned no block height");
  return { slot: absoluteSlot, blockHeight };
}
