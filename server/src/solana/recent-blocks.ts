import { type Connection, SolanaJSONRPCError, VOTE_PROGRAM_ID } from "@solana/web3.js";
import { rawRequest } from "./raw-request.ts";
import { RpcFailure } from "./rpc-failure.ts";

/**
 * What blocks hold: `transactions` of users, nothing or only votes (`empty`), or there are no blocks
 * (`none`).
 */
export type RecentBlocks = "transactions" | "empty" | "none";

/** How many blocks are read at most; a block of a busy cluster takes a megabyte. */
const BLOCKS = 3;

/** Among so many slots there are blocks, although some slots are skipped. */
const SLOTS = 32;

const VOTE_PROGRAM = VOTE_PROGRAM_ID.toBase58();

/**
 * Reads the newest blocks after a slot, until one holds a transaction of a user.
 *
 * @param after blocks of this slot and earlier ones do not count
 * @param upTo a confirmed slot
 * @returns null if the node does not say: not every node keeps blocks
 */
export async function readRecentBlocks(
  connection: Connection,
  after: number,
  upTo: number,
): Promise<RecentBlocks | null> {
  try {
    const from = Math.max(after + 1, upTo - SLOTS + 1);
    const range = [from, upTo, { commitment: "confirmed" }];
    const slots = await rawRequest(connection, "getBlocks", range);
    if (!Array.isArray(slots)) return null;
    if (slots.length === 0) return "none";
    for (const slot of slots.slice(-BLOCKS).reverse()) {
      if (await holdsTransactions(connection, slot)) return "transactions";
    }
    return "empty";
  } catch (error) {
    if (error instanceof SolanaJSONRPCError || error instanceof RpcFailure) return null;
    throw error;
  }
}

async function holdsTransactions(connection: Connection, slot: unknown): Promise<boolean> {
  const block = await rawRequest(connection, "getBlock", [
    slot,
    {
      commitment: "confirmed",
      transactionDetails: "accounts",
      rewards: false,
      maxSupportedTransactionVersion: 1,
    },
  ]);
  const { transactions } = (block ?? {}) as { transactions?: unknown };
  // What cannot be understood is no proof that nothing lands.
  return !Array.isArray(transactions) || !transactions.every(isVote);
}

function isVote(entry: unknown): boolean {
  const { transaction } = (entry ?? {}) as { transaction?: { accountKeys?: unknown } };
  const keys = transaction?.accountKeys;
  return Array.isArray(keys) && keys.some((key) => key?.pubkey === VOTE_PROGRAM);
}
