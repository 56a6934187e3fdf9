import { type Connection, SYSVAR_RENT_PUBKEY } from "@solana/web3.js";
import type { ClusterPace } from "../domain/cluster-pace.ts";
import { readRentPerByte } from "./fees.ts";

/** Slots over which a command measures; block times have whole seconds. */
const SPAN_SLOTS = 600;
/** A shorter time between two blocks would not be exact enough, in seconds. */
const MIN_SPAN_SECONDS = 20;

/** Reads both for a command, which has no time to measure: by the times of past blocks. */
export async function readClusterPace(connection: Connection): Promise<ClusterPace> {
  const [rent, msPerBlock] = await Promise.all([
    connection.getAccountInfo(SYSVAR_RENT_PUBKEY),
    readMsPerBlock(connection),
  ]);
  if (!rent) throw new Error("the RPC returned no rent");
  return { msPerBlock, rentPerByte: readRentPerByte(rent.data) };
}

/** @returns milliseconds; null if the node does not keep enough past blocks */
export async function readMsPerBlock(connection: Connection): Promise<number | null> {
  try {
    const slot = await connection.getSlot("confirmed");
    const slots = await connection.getBlocks(Math.max(0, slot - SPAN_SLOTS), slot, "confirmed");
    const ends = [slots[0] ?? slot, slots.at(-1) ?? slot];
    const [from, to] = await Promise.all(ends.map((each) => connection.getBlockTime(each)));
    const seconds = (to ?? 0) - (from ?? 0);
    return seconds < MIN_SPAN_SECONDS ? null : (seconds * 1000) / (slots.length - 1);
  } catch {
    return null;
  }
}
