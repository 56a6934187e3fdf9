import { decodeBase58 } from "@tokenctl/shared/base58";
import bs58 from "bs58";

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** Base58 as Solana writes addresses, signatures and blockhashes. */
export const base58 = {
  encode: (bytes: Uint8Array): string => bs58.encode(bytes),
  decode: decodeBase58,
};

/** @returns the 32 bytes of a base58 address, or null if the text is not an address */
export function decodeAddress(text: string): Uint8Array | null {
  return decodeBase58(text, PUBLIC_KEY_BYTES);
}

/** @returns the 64 bytes of a base58 signature, or null if the text is not a signature */
export function decodeSignature(text: string): Uint8Array | null {
  return decodeBase58(text, SIGNATURE_BYTES);
}
