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

/** Reads at or after `slot`, which is confirmed, show its effects and those of earlier ones. */
export type TransactionOutcome =
  | { readonly kind: "landed"; readonly slot: number }
  | { readonly kind: "failed"; readonly slot: number; readonly error: TransactionError }
  | { readonly kind: "expired"; readonly slot: number };

/**
 * What a node reports about a transaction:
 * - `unknown`: nothing.
 * - `pending`: it may still vanish with its fork, or we do not understand the entry.
 * - `landed`, `failed`: final.
 */
export type SignatureStatus =
  | { readonly kind: "unknown" | "pending" }
  | Exclude<TransactionOutcome, { readonly kind: "expired" }>;

/**
 * Reads up to 256 statuses. Not with web3.js, which rejects all of them if it cannot parse one. Their
 * slot is the processed one, ahead of the slots of other answers. Nodes forget a status after
 * minutes, unless the request searches their archive (`searches`).
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
  const { err, slot } = entry as { readonly err?: unknown; readonly slot?: unknown };
  const isKnown = typeof slot === "number" && (typeof err === "string" || typeof err === "object");
  if (!isKnown) return { kind: "pending" };
  return err === null ? { kind: "landed", slot } : { kind: "failed", slot, error: err };
}

export type SentTransaction = Pick<SignedTransaction, "signature" | "lastValidBlockHeight">;

export function outcomeOf(status: SignatureStatus): TransactionOutcome | null {
  return status.kind === "landed" || status.kind === "failed" ? status : null;
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
  const known = outcomeOf(first.status);
  if (known) return known;
  const tip = await readTip(connection);
  if (first.status.kind === "pending" || tip.blockHeight <= sent.lastValidBlockHeight) return null;
  // It may have landed between the two reads, or the first answer came from a node that is behind.
  // Only a status read at or after the slot of the expiry is proof.
  const last = await search();
  if (last.status.kind !== "unknown" || last.slot < tip.slot) return outcomeOf(last.status);
  return { kind: "expired", slot: tip.slot };
}

/** Reads a confirmed transaction and its effects; null if the node does not return it. */
export function readTransaction(
  connection: Connection,
  signature: string,
): Promise<VersionedTransactionResponse | null> {
  return connection.getTransaction(signature, { maxSupportedTransactionVersion: HIGHEST_VERSION });
}
