import type { TransactionError, VersionedTransactionResponse } from "@solana/web3.js";
import {
  findOutcome,
  type SentTransaction,
  type TransactionOutcome,
} from "../../solana/outcome.ts";
import { readTip } from "../../solana/tip.ts";
import { ChainUnavailableError } from "../errors.ts";
import type { FinalOutcome } from "../launchpad.ts";
import { type SendContext, type SignedTransaction, stopped } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** A confirmed transaction can take a moment until every node returns it. In milliseconds. */
const READ_TRIES = 20;
const READ_PAUSE_MS = 500;

export type FinishContext = SendContext & Pick<ChainContext, "pause">;

type Meta = NonNullable<VersionedTransactionResponse["meta"]>;

/** How a signed transaction ended. */
export type FinishedTransaction =
  | {
      readonly kind: "landed";
      readonly transaction: VersionedTransactionResponse;
      readonly meta: Meta;
    }
  | { readonly kind: "failed"; readonly error: TransactionError }
  | { readonly kind: "expired" };

/**
 * Finds the outcome of a signed transaction, and reads what it did if it landed. Safe to call again.
 *
 * @param send sends it and waits; called if its outcome is not known yet
 * @param onLanded called before what it did is read
 * @throws {ChainUnavailableError} its outcome is still unknown, or what it did
 */
export async function finishSigned(
  chain: FinishContext,
  signed: SignedTransaction,
  send: () => Promise<TransactionOutcome>,
  signal: AbortSignal,
  onLanded: () => void | Promise<void> = () => {},
): Promise<FinishedTransaction> {
  const outcome =
    (await withRpcErrors(() => findOutcome(chain.connection, signed))) ?? (await send());
  if (outcome.kind === "failed") return { kind: "failed", error: outcome.error };
  if (outcome.kind === "landed") await onLanded();
  // Nodes forget statuses sooner than transactions: it has expired only if both are missing.
  const transaction =
    outcome.kind === "expired"
      ? await readTransaction(chain, signed)
      : await awaitTransaction(chain, signed, signal);
  if (!transaction) return { kind: "expired" };
  const { meta } = transaction;
  if (!meta) throw new ChainUnavailableError("The Solana RPC returned no balances of the claim");
  if (meta.err !== null) return { kind: "failed", error: meta.err };
  return { kind: "landed", transaction, meta };
}

/** See `Launchpad.finalOutcome`. */
export async function finalOutcome(
  chain: FinishContext,
  sent: SentTransaction,
): Promise<FinalOutcome> {
  const { blockHeight } = await withRpcErrors(() => readTip(chain.connection, "finalized"));
  if (blockHeight <= sent.lastValidBlockHeight) return "open";
  const outcome = await withRpcErrors(() => findOutcome(chain.connection, sent));
  if (outcome === null) return "open";
  const isUnknown = outcome.kind === "expired" && (await readTransaction(chain, sent)) === null;
  return isUnknown ? "never" : "landed";
}

function readTransaction(
  { connection }: FinishContext,
  { signature }: Pick<SentTransaction, "signature">,
): Promise<VersionedTransactionResponse | null> {
  return withRpcErrors(() =>
    connection.getTransaction(signature, {
      commitment: "confirmed",
      maxSupportedTransactionVersion: 1,
    }),
  );
}

async function awaitTransaction(
  chain: FinishContext,
  signed: SignedTransaction,
  signal: AbortSignal,
): Promise<VersionedTransactionResponse> {
  for (let tries = 1; tries <= READ_TRIES; tries++) {
    if (signal.aborted) throw stopped();
    const found = await readTransaction(chain, signed);
    if (found) return found;
    await chain.pause(READ_PAUSE_MS);
  }
  throw new ChainUnavailableError(
    "The claim landed, but the Solana RPC does not return what it paid",
  );
}
