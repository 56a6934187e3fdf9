import type { Database } from "bun:sqlite";
import { PublicKey } from "@solana/web3.js";
import { decodeAddress } from "../base/base58.ts";

export interface StoredAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: Uint8Array;
  readonly executable: boolean;
}

/** An account after a transaction or genesis. Without lamports it no longer exists. */
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

/** A string is base58, a `Uint8Array` has 32 bytes. */
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

/** Returns bytes as a map's key, at a fraction of base58's cost. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The addresses of SPL Token and Token-2022, as an SQL list of blobs. */
const TOKEN_PROGRAMS_SQL =
  "x'06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9'," +
  "x'06ddf6e1ee758fde18425dbce46ccddab61afc4d83b90d27febdf928d8a18bfc'";

/** A token account starts with its mint and owner, 32 bytes each (spl-token `state::Account`). */
export const IS_TOKEN_ACCOUNT_SQL = `owner IN (${TOKEN_PROGRAMS_SQL}) AND length(data) >= 165`;
export const TOKEN_OWNER_SQL = "substr(data, 33, 32)";

export class AccountTable {
  constructor(private readonly db: Database) {}

  get(address: Uint8Array): StoredAccount | null {
    const row = this.db
      .query<AccountRow, [Uint8Array]>("SELECT * FROM accounts WHERE address = ?")
      .get(address);
    return row === null ? null : fromRow(row).account;
  }

  ownedBy(program: AddressLike): Generator<AccountChange> {
    return this.#select("owner = ?", addressBytes(program));
  }

  /** Yields a wallet's accounts that may be token accounts of SPL Token or Token-2022. */
  tokenAccountsOf(wallet: AddressLike): Generator<AccountChange> {
    return this.#select(`${TOKEN_OWNER_SQL} = ? AND ${IS_TOKEN_ACCOUNT_SQL}`, addressBytes(wallet));
  }

  write(changes: readonly AccountChange[]): void {
    const remove = this.db.query("DELETE FROM accounts WHERE address = ?");
    const write = this.db.query(
      `INSERT INTO accounts (address, owner, lamports, executable, data)
       VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (address) DO UPDATE SET
         owner = ?2, lamports = ?3, executable = ?4, data = ?5`,
    );
    for (const { address, account } of changes) {
      const { owner, lamports, executable, data } = account;
      if (lamports === 0n) remove.run(address);
      else write.run(address, owner, BigInt.asIntN(64, lamports), executable ? 1 : 0, data);
    }
  }

  /** Yields one row at a time, so that a caller can stop before all rows are in memory. */
  *#select(condition: string, value: Uint8Array): Generator<AccountChange> {
    // Not a cached statement, because two such reads may run at the same time.
    const statement = this.db.prepare<AccountRow, [Uint8Array]>(
      `SELECT * FROM accounts WHERE ${condition}`,
    );
    try {
      for (const row of statement.iterate(value)) yield fromRow(row);
    } finally {
      statement.finalize();
    }
  }
}

interface AccountRow {
  readonly address: Uint8Array;
  readonly owner: Uint8Array;
  readonly lamports: bigint;
  readonly executable: bigint;
  readonly data: Uint8Array;
}

function fromRow(row: AccountRow): AccountChange {
  const account: StoredAccount = {
    // SQLite's integers are signed, Solana's are unsigned.
    lamports: BigInt.asUintN(64, row.lamports),
    data: row.data,
    owner: row.owner,
    executable: row.executable !== 0n,
  };
  return { address: row.address, account };
}
