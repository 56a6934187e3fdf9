import type {
  Connection,
  Finality,
  TransactionError,
  VersionedTransactionResponse,
} from "@solana/web3.js";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import type { SignedTransaction } from "../domain/journal.ts";
import { COMMITMENT, rawRequest } from "./connection.ts";
import { certaintyOf } from "./rpc-answer.ts";

/** Reads slot and block height of the same bank (`getBlockHeight` does not return the slot). */
export async function readTip(connection: Connection, commitment: Finality = COMMITMENT) {
  const { absoluteSlot, blockHeight = 0 } = await connection.getEpochInfo(commitment);
  return { slot: absoluteSlot, blockHeight };
}

/**
 * What a node reports about a transaction:
 * - `unknown`: nothing.
 * - `pending`: it may still vanish with its fork, or we do not understand the entry.
 * - `landed`, `failed`: final.
 */
export type SignatureStatus =
  | { readonly kind: "unknown" | "pending" | "landed" }
  | { readonly kind: "failed"; readonly error: TransactionError };

/**
 * Reads up to 256 statuses. Not with web3.js, which rejects all of them if it cannot parse one.
 * Nodes forget a status after minutes, unless the request searches their archive (`searches`).
 */
export async function readStatuses(
  connection: Connection,
  signatures: readonly string[],
  searches: boolean,
): Promise<{ readonly slot: number; readonly statuses: readonly SignatureStatus[] }> {
  const params = [signatures, { searchTransactionHistory: searches }];
  const answer = await rawRequest(connection, "getSignatureStatuses", params);
  // The connection has checked that there is one entry for each signature.
  const { context, value } = answer as { context: { slot: number }; value: readonly unknown[] };
  return { slot: context.slot, statuses: value.map(parseStatus) };
}

function parseStatus(entry: unknown): SignatureStatus {
  const certainty = certaintyOf(entry);
  if (certainty < 1) return { kind: certainty === -2 ? "unknown" : "pending" };
  const { err } = entry as { readonly err?: unknown };
  if (err === null) return { kind: "landed" };
  if (typeof err !== "string" && typeof err !== "object") return { kind: "pending" };
  return { kind: "failed", error: err };
}

export type SentTransaction = Pick<SignedTransaction, "signature" | "lastValidBlockHeight">;

export type TransactionOutcome =
  | { readonly kind: "landed"; readonly slot: number }
  | { readonly kind: "failed"; readonly slot: number; readonly error: TransactionError }
  | { readonly kind: "expired"; readonly slot: number };

export function outcomeOf(status: SignatureStatus, slot: number): TransactionOutcome | null {
  if (status.kind === "failed") return { kind: "failed", slot, error: status.error };
  return status.kind === "landed" ? { kind: "landed", slot } : null;
}

/** Returns the outcome of a transaction, whenever it was sent; null if it can still land. */
export async function findOutcome(
  connection: Connection,
  sent: SentTransaction,
): Promise<TransactionOutcome | null> {
  const search = async () => {
    const { slot, statuses } = await readStatuses(connection, [sent.signature], true);
    return { slot, status: statuses[0] ?? ({ kind: "pending" } as const) };
  };
  const first = await search();
  const known = outcomeOf(first.status, first.slot);
  if (known) return known;
  const tip = await readTip(connection);
  if (first.status.kind === "pending" || tip.blockHeight <= sent.lastValidBlockHeight) return null;
  // It may have landed between the two reads, or the first answer came from a node that is behind.
  // Only a status read at or after the slot of the expiry is proof.
  const last = await search();
  const late = outcomeOf(last.status, last.slot);
  if (late) return late;
  if (last.status.kind === "pending" || last.slot < tip.slot) return null;
  return { kind: "expired", slot: last.slot };
}

/** Reads a confirmed transaction and its effects; null if the node does not return it. */
export function readTransaction(
  connection: Connection,
  signature: string,
): Promise<VersionedTransactionResponse | null> {
  return connection.getTransaction(signature, { maxSupportedTransactionVersion: HIGHEST_VERSION });
}
