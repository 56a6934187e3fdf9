import type { SentTransaction, TransactionOutcome } from "../../solana/outcome.ts";
import { ChainUnavailableError } from "../errors.ts";
import type { ChainContext } from "./context.ts";
import { toUnavailable } from "./rpc-errors.ts";

/** A transaction with all its signatures. */
export interface SignedTransaction extends SentTransaction {
  readonly transaction: Uint8Array;
}

/** What it takes to send a transaction and to wait for its outcome. */
export type SendContext = Pick<ChainContext, "connection" | "confirmer">;

/** Sends the same bytes again, without another preflight. A transaction lands at most once. */
export function resend(chain: SendContext, { transaction }: SignedTransaction): Promise<string> {
  return chain.connection.sendRawTransaction(transaction, { skipPreflight: true, maxRetries: 0 });
}

/**
 * Waits for a sent transaction's outcome and keeps sending it meanwhile.
 *
 * @throws {ChainUnavailableError} its outcome is still unknown: the RPC is silent, or the server stops
 */
export async function confirm(
  chain: SendContext,
  signed: SignedTransaction,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  try {
    return await chain.confirmer.wait({
      sent: signed,
      resend: () => resend(chain, signed),
      signal,
    });
  } catch (error) {
    throw signal.aborted ? stopped() : toUnavailable(error);
  }
}

/** @returns the error for work that a stop interrupts; it goes on at the next start */
export function stopped(): ChainUnavailableError {
  return new ChainUnavailableError("The server is stopping");
}
