import { limits } from "@tokenctl/shared/limits";
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

const SIGNATURE_BYTES = 64;

/**
 * Splits a signed transaction into its parts: a compact-u16 count of signatures, the signatures, the
 * message (Solana's wire format). The message is not parsed beyond its count of signers: the claim is
 * found by its hash.
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
  const signers = transaction[0];
  if (signers !== 1 && signers !== 2) return null;
  const end = 1 + signers * SIGNATURE_BYTES;
  if (transaction.length <= end) return null;
  // A message begins with its count of signers: with another count of signatures it cannot land, and
  // the launch wallet signs only a message that asks for it.
  const asksForSponsor = transaction[end] === 2;
  if (asksForSponsor !== (signers === 2)) return null;
  return {
    transaction,
    signature: transaction.subarray(end - SIGNATURE_BYTES, end),
    message: transaction.subarray(end),
    isSponsored: signers === 2,
  };
}
