import { limits } from "@tokenctl/shared/limits";
import bs58 from "bs58";

/**
 * Reads base58 of a known number of bytes. The length is checked first: decoding takes quadratic
 * time.
 *
 * @returns the bytes, or null where the text is not base58 of exactly `bytes` bytes
 */
function decodeBase58(text: string, bytes: number, maxLength: number): Uint8Array | null {
  if (text.length === 0 || text.length > maxLength) return null;
  const decoded = bs58.decodeUnsafe(text);
  return decoded?.length === bytes ? decoded : null;
}

/** @returns the 32 bytes of a base58 address, or null where it is none */
export function decodeAddress(text: string): Uint8Array | null {
  return decodeBase58(text, 32, limits.wallet.max);
}

/** @returns the 64 bytes of a base58 signature, or null where it is none */
export function decodeSignature(text: string): Uint8Array | null {
  return decodeBase58(text, 64, limits.signature.max);
}
