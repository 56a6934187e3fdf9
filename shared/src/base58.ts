import bs58 from "bs58";

/** Maximum base58 characters per byte: 44 for 32 bytes, 88 for 64. */
const CHARS_PER_BYTE = Math.log(256) / Math.log(58);

/** Checks the length before the slow decoding. Returns null unless it decodes to `bytes` bytes. */
export function decodeBase58(text: string, bytes: number): Uint8Array | null {
  if (text.length === 0 || text.length > Math.ceil(bytes * CHARS_PER_BYTE)) return null;
  const decoded = bs58.decodeUnsafe(text);
  return decoded?.length === bytes ? decoded : null;
}
