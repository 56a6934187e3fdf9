import type { Connection, TransactionError } from "@solana/web3.js";
import { rawRequest } from "./raw-request.ts";
import { RpcFailure } from "./rpc-failure.ts";

/**
 * What a node says of a transaction:
 * - `unknown`: nothing.
 * - `pending`: it may still vanish with its fork, or the node says something that we do not understand.
 * - `landed`, `failed`: final.
 */
export type SignatureStatus =
  | { readonly kind: "unknown" | "pending" | "landed" }
  | { readonly kind: "failed"; readonly error: TransactionError };

/** Statuses, in the order of the signatures, and the slot at which they were read. */
export interface SignatureStatuses {
  readonly slot: number;
  readonly statuses: readonly SignatureStatus[];
}

const METHOD = "getSignatureStatuses";

/**
 * Reads statuses without web3.js, which refuses the whole answer if one entry lacks a field or has a word
 * that it does not know.
 *
 * @param signatures at most 256
 * @param searches whether to search the node's archive too; its cache forgets after a few minutes
 * @throws {RpcFailure} the answer names no slot, or not one status for each signature
 */
export async function readStatuses(
  connection: Connection,
  signatures: readonly string[],
  searches: boolean,
): Promise<SignatureStatuses> {
  const result = await rawRequest(connection, METHOD, [
    signatures,
    { searchTransactionHistory: searches },
  ]);
  const { context, value } = asObject(result);
  const { slot } = asObject(context);
  if (!Number.isSafeInteger(slot) || !Array.isArray(value) || value.length !== signatures.length) {
    throw new RpcFailure("garbage", METHOD, "the answer makes no sense");
  }
  return { slot: slot as number, statuses: value.map(parseStatus) };
}

/** From unknown to final. */
const CERTAINTY = ["processed", "confirmed", "finalized"];

/**
 * How certain it is that a transaction stays, by one entry of `getSignatureStatuses`: -2 if the node does not
 * know it, -1 if the entry cannot be understood, 0 if it may still vanish, and more if it is final.
 */
export function certaintyOf(entry: unknown): number {
  if (entry === null) return -2;
  const { confirmationStatus, confirmations } = asObject(entry);
  // Nodes older than `confirmationStatus` say null when no confirmation is missing.
  const word = confirmationStatus ?? (confirmations === null ? "finalized" : undefined);
  return CERTAINTY.indexOf(word as string);
}

function parseStatus(entry: unknown): SignatureStatus {
  const certainty = certaintyOf(entry);
  if (certainty < 1) return { kind: certainty === -2 ? "unknown" : "pending" };
  const { err, status } = asObject(entry);
  if (err === null || (err === undefined && "Ok" in asObject(status))) return { kind: "landed" };
  const error = err ?? asObject(status).Err;
  if (typeof error !== "string" && typeof error !== "object") return { kind: "pending" };
  return { kind: "failed", error: error as TransactionError };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
