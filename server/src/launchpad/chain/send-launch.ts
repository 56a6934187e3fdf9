import { SendTransactionError } from "@solana/web3.js";
import { findOutcome, type TransactionOutcome } from "../../solana/outcome.ts";
import { readSendRefusal } from "../../solana/send-refusal.ts";
import type { LaunchAttempt } from "../attempt-journal.ts";
import { confirm, resend, type SendContext, type SignedTransaction } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/**
 * Sends a launch for the first time and waits for its outcome.
 *
 * @param walletLamports the balance, for the message of a {@link LaunchWalletError}
 * @throws {LaunchWalletError} the node saw that the wallet cannot pay
 * @throws {ChainUnavailableError} its outcome is still unknown
 */
export async function sendLaunch(
  chain: ChainContext,
  attempt: LaunchAttempt,
  walletLamports: bigint,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  try {
    await chain.connection.sendRawTransaction(attempt.transaction, {
      preflightCommitment: "confirmed",
    });
  } catch (error) {
    const isShort =
      error instanceof SendTransactionError && readSendRefusal(error).kind === "payer";
    if (isShort) throw chain.guard.shortageError(walletLamports, error);
    // Any other error proves nothing: the simulation has just passed, and a request without an
    // answer may have arrived. The confirmer finds out.
  }
  await chain.crashPoint("launch.sent");
  return confirm(chain, attempt, signal);
}

/** Finds the outcome of an attempt of an earlier run; sends it again while it can still land. */
export async function finishAttempt(
  chain: SendContext,
  attempt: SignedTransaction,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  const known = await withRpcErrors(() => findOutcome(chain.connection, attempt));
  if (known) return known;
  // If this fails, the confirmer sends it again.
  await resend(chain, attempt).catch(() => {});
  return confirm(chain, attempt, signal);
}
