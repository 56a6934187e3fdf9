import { limits } from "@tokenctl/shared/limits";
import { type SplitTransaction, splitTransaction } from "@tokenctl/shared/wire-transaction";
import { validationError } from "../../http/validation.ts";

/** The parts of a claim in Solana's wire format. */
export interface SignedClaimBytes {
  readonly transaction: Uint8Array;
  /** The agent's. */
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
  /** Whether the launch wallet signs it too, before the agent. */
  readonly isSponsored: boolean;
}

/**
 * Splits a signed transaction into its parts. The message is not parsed beyond its count of signers: the
 * claim is found by its hash.
 *
 * @returns null if it has neither the agent's signature alone, nor a sponsor's place and then the
 * agent's signature: then it is not one of our transactions
 * @throws {ServiceError} 400 if the text is not base64 of at most 1232 bytes
 */
export function parseSignedClaim(base64: string): SignedClaimBytes | null {
  const transaction = Buffer.from(base64, "base64");
  const canonical = transaction.toString("base64").replace(/=+$/, "");
  if (canonical !== base64.replace(/=+$/, "") || transaction.length > limits.transaction.bytes) {
    throw validationError([
      { field: "signedTransaction", message: "must be a base64 transaction of at most 1232 bytes" },
    ]);
  }
  const parts = split(transaction);
  if (parts === null) return null;
  const { signatures, message } = parts;
  const [first, second] = signatures;
  // A message begins with its count of signers: with another count of signatures it cannot land, and
  // the launch wallet signs only a message that asks for it.
  if (!first || signatures.length > 2 || (message[0] === 2) !== (second !== undefined)) return null;
  return { transaction, signature: second ?? first, message, isSponsored: second !== undefined };
}

function split(transaction: Uint8Array): SplitTransaction | null {
  try {
    return splitTransaction(transaction);
  } catch {
    return null;
  }
}
