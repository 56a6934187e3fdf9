import bs58 from "bs58";

/** Base58 characters that a byte takes at most, for 32 bytes 44 in all and for 64 bytes 88. */
const CHARS_PER_BYTE = Math.log(256) / Math.log(58);

/**
 * Reads base58 of a known number of bytes. The length is checked first: decoding takes time
 * quadratic in it.
 *
 * @returns the bytes, or null if the text is not base58 of exactly `bytes` bytes
 */
export function decodeBase58(text: string, bytes: number): Uint8Array | null {
  if (text.length === 0 || text.length > Math.ceil(bytes * CHARS_PER_BYTE)) return null;
  const decoded = bs58.decodeUnsafe(text);
  return decoded?.length === bytes ? decoded : null;
}
