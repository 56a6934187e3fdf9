import type { Database } from "bun:sqlite";
import { base58, PUBLIC_KEY_BYTES } from "../base/base58.ts";
import type { TransactionMeta } from "./transaction-meta.ts";
import { parseTransaction } from "./wire-transaction.ts";

/** The outcome of a transaction. */
export interface LedgerOutcome {
  readonly slot: number;
  /** JSON of the error; null if it succeeded. */
  readonly error: string | null;
}

/** A transaction as an account's history lists it. */
export interface LedgerEntry extends LedgerOutcome {
  readonly signature: Uint8Array;
}

/** A processed transaction in the ledger. */
export interface LedgerTransaction extends LedgerEntry {
  readonly bytes: Uint8Array;
  /** JSON of the RPC's `meta`. */
  readonly meta: string;
}

export interface NewTransaction extends LedgerTransaction {
  readonly messageHash: Uint8Array;
  /** All accounts of the transaction, including those from lookup tables. */
  readonly addresses: readonly Uint8Array[];
}

/** The part of an account's transactions to list, as in `getSignaturesForAddress`. */
export interface HistoryRange {
  readonly limit: number;
  /** Leaves out transactions of later slots. */
  readonly lastSlot?: number | undefined;
  readonly before?: Uint8Array | undefined;
  readonly until?: Uint8Array | undefined;
}

/** The transactions that may be removed. */
export interface Prunable {
  /** This many of the newest stay; at least 1. */
  readonly keep: number;
  /** All transactions of this slot and of later ones stay. */
  readonly fromSlot: number;
}

/**
 * A commit adds one transaction and removes at most this many: a history over its limit shrinks,
 * and no commit takes long.
 */
const PRUNED_AT_ONCE = 4;

/** The transactions of a ledger, numbered in the order in which they were processed. */
export class TransactionTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  insert(transaction: NewTransaction): void {
    const { signature, messageHash, slot, bytes, error, meta } = transaction;
    const { lastInsertRowid } = this.#db
      .query(
        "INSERT INTO transactions (signature, message_hash, slot, bytes, error, meta) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .run(signature, messageHash, slot, bytes, error, meta);
    for (const address of transaction.addresses) {
      this.#db
        .query("INSERT INTO transaction_addresses (address, seq) VALUES (?, ?)")
        .run(address, lastInsertRowid);
    }
  }

  get(signature: Uint8Array): LedgerTransaction | null {
    const row = this.#db
      .query<TransactionRow, [Uint8Array]>(
        "SELECT signature, slot, bytes, error, meta FROM transactions WHERE signature = ?",
      )
      .get(signature);
    return row === null ? null : { ...row, slot: Number(row.slot) };
  }

  inSlot(slot: number): LedgerTransaction[] {
    return this.#db
      .query<TransactionRow, [number]>(
        "SELECT signature, slot, bytes, error, meta FROM transactions WHERE slot = ? ORDER BY seq",
      )
      .all(slot)
      .map((row) => ({ ...row, slot: Number(row.slot) }));
  }

  outcome(signature: Uint8Array): LedgerOutcome | null {
    const row = this.#db
      .query<Pick<TransactionRow, "slot" | "error">, [Uint8Array]>(
        "SELECT slot, error FROM transactions WHERE signature = ?",
      )
      .get(signature);
    return row === null ? null : { slot: Number(row.slot), error: row.error };
  }

  hasMessage(messageHash: Uint8Array): boolean {
    return (
      this.#db.query("SELECT 1 FROM transactions WHERE message_hash = ?").get(messageHash) !== null
    );
  }

  /** How many there ever were, including pruned ones. */
  count(): number {
    const row = this.#db
      .query<{ count: bigint }, []>("SELECT coalesce(max(seq), 0) AS count FROM transactions")
      .get();
    return Number(row?.count ?? 0);
  }

  /** The slot of the oldest kept one; null while all are kept. */
  firstSlot(): number | null {
    const row = this.#db
      .query<{ seq: bigint; slot: bigint }, []>(
        "SELECT seq, slot FROM transactions ORDER BY seq LIMIT 1",
      )
      .get();
    return row === null || row.seq === 1n ? null : Number(row.slot);
  }

  /** An account's transactions, newest first; none if `before` is an unknown signature. */
  of(address: Uint8Array, range: HistoryRange): LedgerEntry[] {
    const { limit, lastSlot, before, until } = range;
    const below = before === undefined ? MAX_INTEGER : this.#seqOf(before);
    if (below === undefined) return [];
    const above = until === undefined ? 0n : (this.#seqOf(until) ?? 0n);
    return this.#db
      .query<EntryRow, [Uint8Array, bigint, bigint, bigint | number, number]>(
        `SELECT signature, slot, error FROM transaction_addresses JOIN transactions USING (seq)
         WHERE address = ? AND seq < ? AND seq > ? AND slot <= ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(address, below, above, lastSlot ?? MAX_INTEGER, limit)
      .map((row) => ({ ...row, slot: Number(row.slot) }));
  }

  /** Removes some of the oldest removable transactions, with their addresses. */
  prune({ keep, fromSlot }: Prunable): void {
    const rows = this.#db
      .query<PrunedRow, [number, number]>(
        "SELECT seq, slot, bytes, meta FROM transactions WHERE seq <= ? ORDER BY seq LIMIT ?",
      )
      .all(this.count() - keep, PRUNED_AT_ONCE);
    for (const row of rows) {
      if (row.slot >= BigInt(fromSlot)) return;
      for (const address of addressesOf(row)) {
        this.#db
          .query("DELETE FROM transaction_addresses WHERE address = ? AND seq = ?")
          .run(address, row.seq);
      }
      this.#db.query("DELETE FROM transactions WHERE seq = ?").run(row.seq);
    }
  }

  #seqOf(signature: Uint8Array): bigint | undefined {
    return this.#db
      .query<{ seq: bigint }, [Uint8Array]>("SELECT seq FROM transactions WHERE signature = ?")
      .get(signature)?.seq;
  }
}

const MAX_INTEGER = 0x7fff_ffff_ffff_ffffn;

interface EntryRow {
  readonly signature: Uint8Array;
  readonly slot: bigint;
  readonly error: string | null;
}

interface TransactionRow extends EntryRow {
  readonly bytes: Uint8Array;
  readonly meta: string;
}

type PrunedRow = Pick<TransactionRow, "slot" | "bytes" | "meta"> & { readonly seq: bigint };

/** The addresses that {@link TransactionTable.insert} wrote. */
function addressesOf({ bytes, meta }: Pick<PrunedRow, "bytes" | "meta">): Uint8Array[] {
  const { staticKeys, lookups } = parseTransaction(bytes).message;
  if (lookups.length === 0) return [...staticKeys];
  const { writable, readonly } = (JSON.parse(meta) as TransactionMeta).loadedAddresses;
  const loaded = [...writable, ...readonly].map((text) => base58.decode(text, PUBLIC_KEY_BYTES));
  return [...staticKeys, ...loaded.filter((address) => address !== null)];
}
