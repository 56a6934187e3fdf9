import { SendTransactionError } from "@solana/web3.js";
import { findOutcome, type TransactionOutcome } from "../../solana/outcome.ts";
import { readSendRefusal } from "../../solana/send-refusal.ts";
import type { LaunchAttempt } from "../launchpad.ts";
import { confirm, resend } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/**
 * Sends a launch for the first time and waits for its outcome.
 *
 * @param walletLamports for the message where they are too few
 * @throws {LaunchWalletError} the node saw that the wallet cannot pay
 * @throws {ChainUnavailableError} its outcome is open
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
    if (isShort) throw chain.guard.short(walletLamports, error);
    // The simulation just passed, so any other refusal is as likely the node's as the launch's,
    // and a request that got no answer may have been heard: the chain will tell.
  }
  await chain.checkpoint("launch.sent");
  return confirm(chain, attempt, signal);
}

/** Finds out what became of an attempt of an earlier run; sends it again while it can still land. */
export async function finishAttempt(
  chain: ChainContext,
  attempt: LaunchAttempt,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  const known = await withRpcErrors(() => findOutcome(chain.connection, attempt));
  if (known) return known;
  // Whether this was heard, the confirmer finds out, and sends it again if need be.
  await resend(chain, attempt).catch(() => {});
  return confirm(chain, attempt, signal);
}
