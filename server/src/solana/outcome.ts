import type { Connection, TransactionError } from "@solana/web3.js";
import { readStatuses, type SignatureStatus } from "./signature-status.ts";
import { readTip } from "./tip.ts";

/** What identifies a sent transaction, and until when it can land. */
export interface SentTransaction {
  /** Base58. */
  readonly signature: string;
  /** The block height after which it can no longer land. */
  readonly lastValidBlockHeight: number;
}

/** The final outcome of a transaction, and the slot at which it was read. */
export type TransactionOutcome =
  | { readonly kind: "landed"; readonly slot: number }
  | { readonly kind: "failed"; readonly slot: number; readonly error: TransactionError }
  | { readonly kind: "expired"; readonly slot: number };

/** @returns the outcome that a status shows; null if it is not final yet */
export function outcomeOf(status: SignatureStatus, slot: number): TransactionOutcome | null {
  if (status.kind === "failed") return { kind: "failed", slot, error: status.error };
  return status.kind === "landed" ? { kind: "landed", slot } : null;
}

/**
 * Reads the outcome of a transaction that was sent at any time in the past.
 *
 * @returns null if it can still land
 */
export async function findOutcome(
  connection: Connection,
  sent: SentTransaction,
): Promise<TransactionOutcome | null> {
  const first = await searchStatus(connection, sent.signature);
  const known = outcomeOf(first.status, first.slot);
  if (known) return known;
  const tip = await readTip(connection);
  if (first.status.kind === "pending" || tip.blockHeight <= sent.lastValidBlockHeight) return null;
  // It may have landed between the two reads, or the first came from a node that is behind. Only a
  // status read at or after the slot of the expiry is proof.
  const last = await searchStatus(connection, sent.signature);
  const late = outcomeOf(last.status, last.slot);
  if (late) return late;
  if (last.status.kind === "pending" || last.slot < tip.slot) return null;
  return { kind: "expired", slot: last.slot };
}

async function searchStatus(
  connection: Connection,
  signature: string,
): Promise<{ slot: number; status: SignatureStatus }> {
  const { slot, statuses } = await readStatuses(connection, [signature], true);
  const [status = { kind: "pending" }] = statuses;
  return { slot, status };
}
