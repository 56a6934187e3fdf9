import type { CreatedAccount } from "./terms.ts";

/**
 * Maximum lamports per byte. Source: Solana's `Rent::default`; SIMD-0437 lowers it in steps, so an account
 * may cost less, which only a node knows.
 */
export const MOST_PER_BYTE = 6_960n;

/** Bytes of each account beyond its data. Source: Solana's `ACCOUNT_STORAGE_OVERHEAD`. */
export const OVERHEAD_BYTES = 128n;

/** Bytes for which a token account pays rent. Source: spl-token's `Account::LEN`. */
export const TOKEN_ACCOUNT_BYTES = OVERHEAD_BYTES + 165n;

/** The same of an associated account of Token-2022 for a mint that requires no extension: it has `ImmutableOwner`. */
export const TOKEN_2022_ACCOUNT_BYTES = OVERHEAD_BYTES + 170n;

/** @returns lamports */
export function sumOfRents(accounts: readonly CreatedAccount[]): bigint {
  return accounts.reduce((sum, { lamports }) => sum + lamports, 0n);
}
