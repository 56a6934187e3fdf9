import { Database } from "bun:sqlite";
import type { AccountChange } from "./account.ts";
import { AccountTable } from "./account-table.ts";
import { lockLedger } from "./ledger-lock.ts";
import { prepareLedger } from "./ledger-schema.ts";
import type { Pace } from "./slots.ts";
import { type NewTransaction, type Prunable, TransactionTable } from "./transaction-table.ts";

/** The values that a ledger has from its creation. */
export interface Genesis {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** 32 random bytes, from which the blockhashes are derived. */
  readonly seed: Uint8Array;
  /** The 64 bytes of the faucet's keypair. */
  readonly faucet: Uint8Array;
}

type MetaValue = bigint | Uint8Array | string;

/** The chain on disk: accounts and transactions in one SQLite file, open in one process only. */
export class Ledger {
  readonly #lock: { release(): void };
  readonly #db: Database;
  readonly genesis: Genesis;
  readonly accounts: AccountTable;
  readonly transactions: TransactionTable;

  /**
   * @param path a file, created if missing, or ":memory:"
   * @param makeGenesis makes the genesis of a new ledger
   * @throws {LedgerVersionError} if another version of this program wrote the ledger
   * @throws {LedgerInUseError} if another process has the ledger open
   */
  constructor(path: string, makeGenesis: () => Genesis) {
    this.#lock = lockLedger(path);
    this.#db = new Database(path, { create: true, strict: true, safeIntegers: true });
    try {
      this.genesis = this.#open(makeGenesis);
      this.accounts = new AccountTable(this.#db);
      this.transactions = new TransactionTable(this.#db);
    } catch (error) {
      this.#db.close();
      this.#lock.release();
      throw error;
    }
  }

  #open(makeGenesis: () => Genesis): Genesis {
    prepareLedger(this.#db, () => {
      const { timeMs, seed, faucet } = makeGenesis();
      this.#setMeta("genesis_time", BigInt(timeMs));
      this.#setMeta("genesis_seed", seed);
      this.#setMeta("faucet", faucet);
    });
    return {
      timeMs: Number(this.#getMeta("genesis_time")),
      seed: this.#getMeta("genesis_seed") as Uint8Array,
      faucet: this.#getMeta("faucet") as Uint8Array,
    };
  }

  /** The highest slot noted; 0 on a new ledger. */
  get highestSlot(): number {
    return Number(this.#getMeta("highest_slot") ?? 0n);
  }

  /**
   * Notes the highest slot. It survives the end of this process. A power failure may set it back to
   * the slot of the last transaction, which does no harm.
   */
  noteSlot(slot: number): void {
    this.#setMeta("highest_slot", BigInt(slot));
  }

  /** The lengths of this chain's slots, oldest first; empty on a new ledger. */
  get paces(): readonly Pace[] {
    const paces = this.#getMeta("paces");
    return typeof paces === "string" ? (JSON.parse(paces) as Pace[]) : [];
  }

  notePaces(paces: readonly Pace[]): void {
    this.#setMeta("paces", JSON.stringify(paces));
  }

  /**
   * Writes a transaction and its account changes, all or nothing. They survive the end of this
   * process.
   *
   * @param prunable the older transactions that may be removed; null if all stay
   */
  commit(
    transaction: NewTransaction,
    changes: readonly AccountChange[],
    prunable: Prunable | null,
  ): void {
    this.#db.transaction(() => {
      this.transactions.insert(transaction);
      if (prunable !== null) this.transactions.prune(prunable);
      this.accounts.write(changes);
      this.#setMeta("highest_slot", BigInt(transaction.slot));
    })();
  }

  /** Writes accounts without a transaction, as genesis does. */
  setAccounts(changes: readonly AccountChange[]): void {
    this.#db.transaction(() => this.accounts.write(changes))();
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }

  #getMeta(key: string): MetaValue | undefined {
    return this.#db
      .query<{ value: MetaValue }, [string]>("SELECT value FROM meta WHERE key = ?")
      .get(key)?.value;
  }

  #setMeta(key: string, value: MetaValue): void {
    this.#db
      .query("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
      .run(key, value);
  }
}
