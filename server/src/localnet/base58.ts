import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";

/** Base58 as Solana writes addresses, signatures and blockhashes. */
export const base58 = {
  encode: (bytes: Uint8Array): string => bs58.encode(bytes),

  /** @returns the bytes, or null when the text is not base58 of just `length` bytes */
  decode(text: string, length: number): Uint8Array | null {
    // Decoding takes time quadratic in the length, so look at the length first.
    if (text.length > length * 1.4 + 1) return null;
    const bytes = bs58.decodeUnsafe(text);
    return bytes?.length === length ? bytes : null;
  },
};

/** An address as callers have it. */
export type AddressLike = PublicKey | string;

/**
 * @returns the 32 bytes of an address
 * @throws {TypeError} the text is no address
 */
export function addressBytes(address: AddressLike): Uint8Array {
  const bytes =
    address instanceof PublicKey ? address.toBytes() : base58.decode(address, PUBLIC_KEY_BYTES);
  if (bytes === null) throw new TypeError("not a base58 address of 32 bytes");
  return bytes;
}

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
