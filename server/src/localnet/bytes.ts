import { PublicKey } from "@solana/web3.js";
import { decodeAddress } from "../base/base58.ts";

/** An address as callers have it: base58 if it is a text, otherwise 32 bytes. */
export type AddressLike = PublicKey | string | Uint8Array;

/** @throws {TypeError} if the text is not an address */
export function addressBytes(address: AddressLike): Uint8Array {
  if (address instanceof Uint8Array) return address;
  const bytes = address instanceof PublicKey ? address.toBytes() : decodeAddress(address);
  if (bytes === null) throw new TypeError("not a base58 address of 32 bytes");
  return bytes;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Bytes as the key of a map, at a fraction of what base58 costs. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
