import { sameBytes } from "./bytes.ts";

export interface StoredAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The 32 bytes of the owning program's address. */
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
