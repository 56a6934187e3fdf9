import {
  ADDRESS_BYTES,
  type SplitTransaction,
  splitTransaction as splitAny,
} from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { decodeBase64, equalBytes } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";

/** Bytes of a message's header: the counts of its signers. */
const HEADER_BYTES = 3;
/** The agent's, and that of a sponsor. */
const MAX_SIGNATURES = 2;

/** @throws {RangeError} if it is no transaction of one or two signatures */
export function splitTransaction(transaction: Uint8Array): SplitTransaction {
  const parts = splitAny(transaction);
  const count = parts.signatures.length;
  if (count <= MAX_SIGNATURES) return parts;
  throw new RangeError(`the transaction has ${count} signatures instead of 1 or 2`);
}

/**
 * Finds the place of a wallet's signature.
 *
 * @param signer base58
 * @returns 0, or 1 if a sponsor signs before the wallet
 * @throws {RangeError} if the wallet is not among the signers
 */
export function signatureIndex({ message, signatures }: SplitTransaction, signer: string): number {
  // The only signer pays the fee and comes first, in every version of a message.
  if (signatures.length === 1) return 0;
  const wallet = bs58.decode(signer);
  const index = signatures.findIndex((_, place) => equalBytes(signerAt(message, place), wallet));
  if (index < 0) throw new RangeError(`${signer} is not among its signers`);
  return index;
}

/** Reads the 32 bytes of a legacy message's signer; the first one pays the network fee. */
function signerAt(message: Uint8Array, place: number): Uint8Array {
  // The count of addresses takes one byte: no more than 38 fit into a transaction.
  const start = HEADER_BYTES + 1 + place * ADDRESS_BYTES;
  return message.subarray(start, start + ADDRESS_BYTES);
}

/** @returns the transaction in the wire format, with a signature put into its place */
export function withSignature(
  { message, signatures }: SplitTransaction,
  index: number,
  signature: Uint8Array,
): Uint8Array {
  const all = signatures.with(index, signature).flatMap((bytes) => [...bytes]);
  return Uint8Array.from([signatures.length, ...all, ...message]);
}

/** A claim that the agent signed. */
export interface SignedClaim {
  /** Base58 of the agent's signature; unless there is a sponsor, a cluster's name for the claim. */
  readonly agentSignature: string;
  /** The agent's place among the signers: 1 after a sponsor. */
  readonly signerIndex: number;
  /** Whether a cluster can give it this name, base58: the signature of its first signer. */
  isNamed(hash: string): boolean;
}

/**
 * Reads a claim that the agent signed.
 *
 * @param transaction base64
 * @throws {InvalidArgumentError} if there is no signature, or no message behind it
 */
export function readSignedClaim(transaction: string): SignedClaim {
  const { signatures, message } = readSigned(transaction);
  // A sponsor signs first, and the agent second and last.
  const signerIndex = signatures.length - 1;
  const agentSignature = bs58.encode(signatures[signerIndex] ?? new Uint8Array());
  if (signerIndex === 0) {
    return { agentSignature, signerIndex, isNamed: (named) => named === agentSignature };
  }
  // The sponsor has not signed yet. Only this message has a signature that its key verifies.
  const isNamed = (named: string) => verifies(message, named, signerAt(message, 0));
  return { agentSignature, signerIndex, isNamed };
}

function verifies(message: Uint8Array, signature: string, key: Uint8Array): boolean {
  try {
    return verifyEd25519(message, bs58.decode(signature), key);
  } catch {
    return false;
  }
}

export function isEmptySignature(signature: Uint8Array): boolean {
  return signature.every((byte) => byte === 0);
}

/** A transaction that a wallet is about to sign. */
interface UnsignedTransaction extends SplitTransaction {
  /** The place of the wallet's signature. */
  readonly index: number;
}

/**
 * Splits a transaction that a wallet is about to sign.
 *
 * @param signer the wallet, base58
 * @throws {InvalidArgumentError} if it is not a transaction of one or two signatures, or has no
 * place for the wallet's
 */
export function readUnsignedTransaction(
  transaction: Uint8Array,
  signer: string,
): UnsignedTransaction {
  try {
    const parts = splitTransaction(transaction);
    return { ...parts, index: signatureIndex(parts, signer) };
  } catch (cause) {
    throw new InvalidArgumentError(`Cannot sign: ${(cause as Error).message}`);
  }
}

function readSigned(transaction: string): SplitTransaction {
  try {
    return splitTransaction(decodeBase64(transaction) ?? new Uint8Array());
  } catch {
    throw new InvalidArgumentError("signedTransaction is not a signed transaction in base64", {
      hint: "Give what signClaim returned",
    });
  }
}
