import { decodeBase58 } from "@tokenctl/shared/base58";
import bs58 from "bs58";

const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

export const base58 = {
  encode: (bytes: Uint8Array): string => bs58.encode(bytes),
  decode: decodeBase58,
};

export function decodeAddress(text: string): Uint8Array | null {
  return decodeBase58(text, PUBLIC_KEY_BYTES);
}

export function decodeSignature(text: string): Uint8Array | null {
  return decodeBase58(text, SIGNATURE_BYTES);
}
