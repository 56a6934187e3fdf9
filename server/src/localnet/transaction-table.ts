import type { Database } from "bun:sqlite";
import { base58, SIGNATURE_BYTES } from "../base/base58.ts";
import { type AddressLike, addressBytes } from "./accounts.ts";
import { parseExact } from "./exact-json.ts";
import type { Slots } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import type { TransactionMeta, toLedgerRecord } from "./transaction-meta.ts";

interface SignatureStatus {
  readonly slot: number;
  readonly error: TransactionError | null;
  /** Whether its slot is at least 32 behind the current one; otherwise it is confirmed. */
  readonly finalized: boolean;
}

export interface ProcessedTransaction extends SignatureStatus {
  readonly signature: string;
  readonly bytes: Uint8Array;
  /** Its position in the slot, from 0. */
  readonly transactionIndex: number;
  /** Seconds since the Unix epoch. */
  readonly blockTime: number;
  readonly meta: TransactionMeta;
  readonly size: number;
}

/** A commit adds one transaction and removes at most this many, so that it stays short. */
const PRUNED_AT_ONCE = 4;

export class TransactionTable {
  constructor(
    private readonly db: Database,
    private readonly slots: Slots,
  ) {}

  insert(transaction: ReturnType<typeof toLedgerRecord>): void {
    const { signature, messageHash, slot, bytes, error, meta } = transaction;
    const { lastInsertRowid } = this.db
      .query(
        "INSERT INTO transactions (signature, message_hash, slot, bytes, error, meta) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .run(signature, messageHash, slot, bytes, error, meta);
    for (const address of transaction.addresses) {
      this.db
        .query("INSERT INTO transaction_addresses (address, seq) VALUES (?, ?)")
        .run(address, lastInsertRowid);
    }
  }

  get(signature: string): ProcessedTransaction | null {
    const row = this.db
      .query<TransactionRow, [Uint8Array]>(`${SELECT} WHERE signature = ?`)
      .get(bytesOf(signature));
    return row === null ? null : this.#processed(row);
  }

  status(signature: string): SignatureStatus | null {
    const row = this.db
      .query<Pick<TransactionRow, "slot" | "error">, [Uint8Array]>(
        "SELECT slot, error FROM transactions WHERE signature = ?",
      )
      .get(bytesOf(signature));
    return row === null ? null : this.#status(row);
  }

  inSlot(slot: number): ProcessedTransaction[] {
    return this.db
      .query<TransactionRow, [number]>(`${SELECT} WHERE slot = ? ORDER BY seq`)
      .all(slot)
      .map((row) => this.#processed(row));
  }

  hasMessage(messageHash: Uint8Array): boolean {
    return (
      this.db.query("SELECT 1 FROM transactions WHERE message_hash = ?").get(messageHash) !== null
    );
  }

  /** Returns how many transactions there have been, including pruned ones. */
  count(): number {
    const row = this.db
      .query<{ count: bigint }, []>("SELECT coalesce(max(seq), 0) AS count FROM transactions")
      .get();
    return Number(row?.count ?? 0);
  }

  /** Returns an account's transactions, newest first, between two numbers of `seqOf`. */
  of(
    address: AddressLike,
    {
      limit,
      lastSlot = MAX_INTEGER,
      below = MAX_INTEGER,
      above = 0n,
    }: Readonly<{
      limit: number;
      lastSlot?: number | bigint;
      below?: bigint | undefined;
      above?: bigint | undefined;
    }>,
  ): Omit<ProcessedTransaction, "meta" | "size">[] {
    return this.db
      .query<EntryRow, [Uint8Array, bigint, bigint, bigint | number, number]>(
        `SELECT ${ENTRY} FROM transaction_addresses JOIN transactions USING (seq)
         WHERE address = ? AND seq < ? AND seq > ? AND slot <= ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(addressBytes(address), below, above, lastSlot, limit)
      .map((row) => this.#entry(row));
  }

  seqOf(signature: string): bigint | undefined {
    return this.db
      .query<{ seq: bigint }, [Uint8Array]>("SELECT seq FROM transactions WHERE signature = ?")
      .get(bytesOf(signature))?.seq;
  }

  /** Removes all but the newest `keep`, and those from a slot on. */
  prune(keep: number, fromSlot: number): void {
    this.db
      .query(
        `DELETE FROM transactions WHERE seq <= ? AND slot < ?
         AND seq IN (SELECT seq FROM transactions ORDER BY seq LIMIT ${PRUNED_AT_ONCE})`,
      )
      .run(this.count() - keep, fromSlot);
  }

  #status({ slot, error }: Pick<EntryRow, "slot" | "error">): SignatureStatus {
    this.slots.advance();
    return {
      slot: Number(slot),
      error: error === null ? null : (JSON.parse(error) as TransactionError),
      finalized: slot <= this.slots.finalized,
    };
  }

  #entry(row: EntryRow) {
    return {
      ...this.#status(row),
      signature: base58.encode(row.signature),
      bytes: row.bytes,
      transactionIndex: Number(row.place),
      blockTime: this.slots.timeOf(Number(row.slot)),
    };
  }

  #processed(row: TransactionRow): ProcessedTransaction {
    return {
      ...this.#entry(row),
      meta: parseExact(row.meta) as TransactionMeta,
      size: row.bytes.length + row.meta.length,
    };
  }
}

function bytesOf(signature: string): Uint8Array {
  return base58.decode(signature, SIGNATURE_BYTES) ?? new Uint8Array();
}

const ENTRY = `signature, slot, bytes, error, (SELECT count(*) FROM transactions AS other
  WHERE other.slot = transactions.slot AND other.seq < transactions.seq) AS place`;
const SELECT = `SELECT ${ENTRY}, meta FROM transactions`;
const MAX_INTEGER = 0x7fff_ffff_ffff_ffffn;

interface EntryRow {
  readonly signature: Uint8Array;
  readonly slot: bigint;
  readonly bytes: Uint8Array;
  readonly error: string | null;
  readonly place: bigint;
}

interface TransactionRow extends EntryRow {
  readonly meta: string;
}
