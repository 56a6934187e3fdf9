import { decodeBase58 } from "@tokenctl/shared/base58";
import {
  joinTransaction,
  readMessage,
  SIGNATURE_BYTES,
  type SplitTransaction,
  splitTransaction,
} from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { decodeBase64, equalBytes } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";

/** Returns the index of a signer's signature: 0, or 1 after a sponsor. */
export function signatureIndex({ message, signatures }: SplitTransaction, signer: string): number {
  // In every version of a message, a single signer pays the fee and comes first.
  if (signatures.length === 1) return 0;
  const wallet = bs58.decode(signer);
  const index = signatures.findIndex((_, place) => equalBytes(signerAt(message, place), wallet));
  if (index < 0) throw new RangeError(`${signer} is not among its signers`);
  return index;
}

function signerAt(message: Uint8Array, place: number): Uint8Array {
  return readMessage(message).staticKeys[place] ?? new Uint8Array();
}

export function withSignature(
  { message, signatures }: SplitTransaction,
  index: number,
  signature: Uint8Array,
): Uint8Array {
  return joinTransaction({ message, signatures: signatures.with(index, signature) });
}

/** Reads whose signature names a claim on a cluster. */
export function readSignedClaim(transaction: string) {
  const { signatures, message } = splitSigned(transaction);
  // The agent signs last, after the sponsor if there is one.
  const signerIndex = signatures.length - 1;
  const agentSignature = bs58.encode(signatures[signerIndex] ?? new Uint8Array());
  /** Returns whether base58 can be the claim's transaction hash: its first signer's signature. */
  const isNamed = (hash: string): boolean => {
    if (signerIndex === 0) return hash === agentSignature;
    // The sponsor has not signed yet, so its signature must verify for this message.
    const signature = decodeBase58(hash, SIGNATURE_BYTES);
    return signature !== null && isSignatureOf(message, signature, signerAt(message, 0));
  };
  return { agentSignature, signerIndex, isNamed };
}

/** Returns whether a signature is valid; false for anything that is not a signature or key. */
export function isSignatureOf(message: Uint8Array, signature: Uint8Array, key: Uint8Array) {
  try {
    return verifyEd25519(message, signature, key);
  } catch {
    return false;
  }
}

export function isEmptySignature(signature: Uint8Array): boolean {
  return signature.every((byte) => byte === 0);
}

export function readUnsignedTransaction(
  transaction: Uint8Array,
  signer: string,
): SplitTransaction & { readonly index: number } {
  try {
    const parts = splitTransaction(transaction);
    return { ...parts, index: signatureIndex(parts, signer) };
  } catch (cause) {
    throw new InvalidArgumentError(`Cannot sign: ${(cause as Error).message}`);
  }
}

function splitSigned(transaction: string): SplitTransaction {
  try {
    return splitTransaction(decodeBase64(transaction) ?? new Uint8Array());
  } catch {
    throw new InvalidArgumentError("signedTransaction is not a signed transaction in base64", {
      hint: "Pass what signClaim returned",
    });
  }
}

/** A legacy message with resolved addresses, base58. */
export interface LegacyMessage {
  readonly requiredSigners: number;
  /** The fee payer comes first. */
  readonly addresses: readonly string[];
  readonly writable: ReadonlySet<string>;
  readonly blockhash: string;
  readonly instructions: readonly {
    readonly program: string;
    readonly accounts: readonly string[];
    readonly data: Uint8Array;
  }[];
}

export function readLegacyMessage(bytes: Uint8Array): LegacyMessage {
  // The high bit marks a versioned message; a legacy one starts with its count of signers.
  if ((bytes[0] ?? 0) & 0x80) throw new RangeError("it is versioned, but a claim is legacy");
  const message = readMessage(bytes);
  const { requiredSignatures: signers, readonlySigned, readonlyUnsigned } = message;
  const addresses = message.staticKeys.map((key) => bs58.encode(key));
  const isWritable = (_: string, place: number) =>
    place < signers
      ? place < signers - readonlySigned
      : place < addresses.length - readonlyUnsigned;
  const address = (place: number): string => {
    const found = addresses[place];
    if (found !== undefined) return found;
    throw new RangeError(`it refers to account ${place} of ${addresses.length}`);
  };
  return {
    requiredSigners: signers,
    addresses,
    writable: new Set(addresses.filter(isWritable)),
    blockhash: bs58.encode(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      program: address(programIdIndex),
      accounts: Array.from(accounts, address),
      data,
    })),
  };
}
