import { PublicKey } from "@solana/web3.js";
import { decodeAddress } from "../base/base58.ts";

export interface StoredAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: Uint8Array;
  readonly executable: boolean;
  readonly rentEpoch: bigint;
}

/** An account as a transaction or genesis left it. Without lamports it does not exist any more. */
export interface AccountChange {
  readonly address: Uint8Array;
  readonly account: StoredAccount;
}

/** The rent epoch of rent-exempt accounts: never (u64's maximum). */
export const RENT_EXEMPT_EPOCH = 0xffff_ffff_ffff_ffffn;

export function sameAccount(one: StoredAccount | null, other: StoredAccount): boolean {
  if (one === null) return other.lamports === 0n;
  return (
    one.lamports === other.lamports &&
    one.executable === other.executable &&
    sameBytes(one.owner, other.owner) &&
    sameBytes(one.data, other.data)
  );
}

/** An address as callers have it: base58 if it is a text, otherwise 32 bytes. */
export type AddressLike = PublicKey | string | Uint8Array;

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
