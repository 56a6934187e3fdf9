import { base58, SIGNATURE_BYTES } from "../base/base58.ts";
import { type AddressLike, addressBytes } from "./address.ts";
import type { HistoryEntry, ProcessedTransaction, SignatureStatus } from "./chain-types.ts";
import { parseExact } from "./exact-json.ts";
import type { Slots } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import type { TransactionMeta } from "./transaction-meta.ts";
import type {
  HistoryRange,
  LedgerEntry,
  LedgerOutcome,
  LedgerTransaction,
  TransactionTable,
} from "./transaction-table.ts";

/** What a chain answers from the transactions of its ledger. */
export class TransactionHistory {
  readonly #table: TransactionTable;
  readonly #slots: Slots;

  constructor(table: TransactionTable, slots: Slots) {
    this.#table = table;
    this.#slots = slots;
  }

  /** @returns null if the ledger keeps no transaction with this signature */
  get(signature: string): ProcessedTransaction | null {
    this.#slots.advance();
    const bytes = base58.decode(signature, SIGNATURE_BYTES);
    const found = bytes === null ? null : this.#table.get(bytes);
    return found === null ? null : this.#processed(found);
  }

  /** @returns null if the ledger keeps no transaction with this signature */
  status(signature: string): SignatureStatus | null {
    this.#slots.advance();
    const bytes = base58.decode(signature, SIGNATURE_BYTES);
    const found = bytes === null ? null : this.#table.outcome(bytes);
    return found === null ? null : this.#status(found);
  }

  /** An account's transactions, newest first. */
  of(address: AddressLike, range: HistoryRange): HistoryEntry[] {
    this.#slots.advance();
    return this.#table.of(addressBytes(address), range).map((entry) => this.#entry(entry));
  }

  inSlot(slot: number): ProcessedTransaction[] {
    return this.#table.inSlot(slot).map((found) => this.#processed(found));
  }

  #entry(found: LedgerEntry): HistoryEntry {
    return {
      ...this.#status(found),
      signature: base58.encode(found.signature),
      blockTime: this.#slots.timeOf(found.slot),
    };
  }

  #processed(found: LedgerTransaction): ProcessedTransaction {
    return {
      ...this.#entry(found),
      bytes: found.bytes,
      meta: parseExact(found.meta) as TransactionMeta,
      size: found.bytes.length + found.meta.length,
    };
  }

  #status({ slot, error }: LedgerOutcome): SignatureStatus {
    return {
      slot,
      error: error === null ? null : (JSON.parse(error) as TransactionError),
      finalized: slot <= this.#slots.finalized,
    };
  }
}
