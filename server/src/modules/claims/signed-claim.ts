import { limits } from "@tokenctl/shared/limits";
import { validationError } from "../../http/validation.ts";

/** The parts of a wire transaction with exactly one signature. */
export interface SignedClaimBytes {
  readonly transaction: Uint8Array;
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
}

const SIGNATURE_BYTES = 64;

/**
 * Splits a signed transaction into its parts: a compact-u16 count of signatures, the signatures, the
 * message (Solana's wire format). The message is not parsed: the claim is found by its hash.
 *
 * @returns null if it does not have exactly one signature: then it is not one of our transactions
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
  if (transaction[0] !== 1 || transaction.length <= 1 + SIGNATURE_BYTES) return null;
  return {
    transaction,
    signature: transaction.subarray(1, 1 + SIGNATURE_BYTES),
    message: transaction.subarray(1 + SIGNATURE_BYTES),
  };
}
