import {
  type Connection,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import type { Clock } from "../base/clock.ts";
import { Confirmer, type ConfirmerOptions } from "./confirmer.ts";
import {
  cappedBid,
  type FeeCaps,
  MAX_UNITS,
  PriorityFees,
  unitLimit,
  unitPrice,
  unitsWithMargin,
} from "./fees.ts";
import { simulate } from "./simulate.ts";
import { describeError } from "./transaction-error.ts";
import { type SigningPurpose, signWith, type WalletSigner } from "./wallet-signer.ts";

export interface SendAndConfirmOptions {
  readonly connection: Connection;
  readonly payer: WalletSigner;
  /** What the transaction is for. */
  readonly purpose: SigningPurpose;
  readonly instructions: readonly TransactionInstruction[];
  /** Who signs beside the payer. */
  readonly signers: readonly Keypair[];
  readonly feeCaps: FeeCaps;
  readonly clock: Clock;
  readonly confirmer?: ConfirmerOptions;
  /** Called with the signature before the transaction is first sent, so that no crash can lose it. */
  readonly onSigned: (signature: string) => void;
}

/**
 * Sends one transaction for a person at a terminal: simulates it, signs it, sends it until it is
 * confirmed or expired. Nothing is signed that the chain would refuse.
 *
 * @returns the signature
 * @throws {Error} it was refused, failed or expired; the message says which
 */
export async function sendAndConfirm(options: SendAndConfirmOptions): Promise<string> {
  const { connection, payer, instructions, signers, feeCaps, clock } = options;
  const simulation = await simulate(connection, payer.publicKey, [
    unitLimit(MAX_UNITS),
    ...instructions,
  ]);
  if (simulation.error !== null) {
    throw new Error(`The chain refuses the transaction: ${describeError(simulation.error)}`);
  }
  const bid = await new PriorityFees(connection, [payer.publicKey], clock).bid(USUAL_PERCENTILE);
  const units = unitsWithMargin(simulation.units);
  const price = cappedBid(bid, units, 1 + signers.length, feeCaps);
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: simulation.blockhash,
      instructions: [unitLimit(units), ...unitPrice(price), ...instructions],
    }).compileToLegacyMessage(),
  );
  await signWith(payer, transaction, options.purpose, signers);
  const bytes = transaction.serialize();
  const signature = bs58.encode(transaction.signatures[0] ?? new Uint8Array());
  options.onSigned(signature);

  const send = () => connection.sendRawTransaction(bytes, { skipPreflight: true, maxRetries: 0 });
  // A request without an answer may have arrived; the confirmer finds out.
  await send().catch(() => {});
  const outcome = await new Confirmer(connection, options.confirmer).wait({
    sent: { signature, lastValidBlockHeight: simulation.lastValidBlockHeight },
    resend: send,
    signal: new AbortController().signal,
  });
  if (outcome.kind === "landed") return signature;
  throw new Error(
    outcome.kind === "expired"
      ? `The transaction ${signature} expired before it landed; nothing was done. Try again.`
      : `The transaction ${signature} failed on chain: ${describeError(outcome.error)}`,
  );
}

/** A bid that three of four recent slots would have accepted. */
const USUAL_PERCENTILE = 75;
