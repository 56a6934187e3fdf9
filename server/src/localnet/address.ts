import { PublicKey } from "@solana/web3.js";
import { decodeAddress } from "../base/base58.ts";

/** An address as callers have it. */
export type AddressLike = PublicKey | string;

/**
 * @returns the 32 bytes of an address
 * @throws {TypeError} if the text is no address
 */
export function addressBytes(address: AddressLike): Uint8Array {
  const bytes = address instanceof PublicKey ? address.toBytes() : decodeAddress(address);
  if (bytes === null) throw new TypeError("not a base58 address of 32 bytes");
  return bytes;
}
