import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { decodeBase64 } from "./bytes.ts";

/** Bytes of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;
/** Bytes of the largest transaction that Solana's network carries. */
const MAX_TRANSACTION_BYTES = 1232;

/** The parts of a transaction with one signature. */
export interface SingleSignatureTransaction {
  /** The bytes that a signature covers. */
  message: Uint8Array;
  signature: Uint8Array;
}

/**
 * Splits a transaction in the wire format: a count of signatures, which must be one, the signature,
 * the message. All parts are views of the given bytes.
 *
 * @throws {RangeError} if it does not begin with exactly one signature, or is too short or long
 */
export function splitTransaction(transaction: Uint8Array): SingleSignatureTransaction {
  if (transaction.length > MAX_TRANSACTION_BYTES) {
    throw new RangeError(
      `the transaction has ${transaction.length} bytes, more than ${MAX_TRANSACTION_BYTES}`,
    );
  }
  if (transaction[0] !== 1) {
    throw new RangeError(`the transaction has ${transaction[0] ?? 0} signatures instead of 1`);
  }
  if (transaction.length <= 1 + SIGNATURE_BYTES) {
    throw new RangeError(`the transaction ends after ${transaction.length} bytes`);
  }
  return {
    signature: transaction.subarray(1, 1 + SIGNATURE_BYTES),
    message: transaction.subarray(1 + SIGNATURE_BYTES),
  };
}

/** @returns a transaction of one signature in the wire format */
export function withSignature(message: Uint8Array, signature: Uint8Array): Uint8Array {
  return Uint8Array.from([1, ...signature, ...message]);
}

/**
 * Reads the name that a cluster gives a signed transaction: its first signature.
 *
 * @param transaction base64
 * @returns base58
 * @throws {InvalidArgumentError} if there is no signature, or no message behind it
 */
export function transactionHash(transaction: string): string {
  const bytes = decodeBase64(transaction) ?? new Uint8Array();
  const signatures = bytes[0] ?? 0;
  if (signatures === 0 || bytes.length <= 1 + signatures * SIGNATURE_BYTES) {
    throw new InvalidArgumentError("signedTransaction is not a signed transaction in base64", {
      hint: "Give what signClaim returned",
    });
  }
  return bs58.encode(bytes.subarray(1, 1 + SIGNATURE_BYTES));
}

export function isEmptySignature(signature: Uint8Array): boolean {
  return signature.every((byte) => byte === 0);
}

/**
 * Splits a transaction that is about to be signed.
 *
 * @throws {InvalidArgumentError} if it is not a transaction of one signature
 */
export function readUnsignedTransaction(transaction: Uint8Array): SingleSignatureTransaction {
  try {
    return splitTransaction(transaction);
  } catch (cause) {
    throw new InvalidArgumentError(`Cannot sign: ${(cause as Error).message}`);
  }
}
