import { Database } from "bun:sqlite";
import type { AccountChange } from "./account.ts";
import { AccountTable } from "./account-table.ts";
import { lockLedger } from "./ledger-lock.ts";
import { prepareLedger } from "./ledger-schema.ts";
import { LogSync } from "./log-sync.ts";
import { type NewTransaction, type Prunable, TransactionTable } from "./transaction-table.ts";

/** What was fixed when the ledger was made. */
export interface Genesis {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** 32 random bytes, from which the blockhashes follow. */
  readonly seed: Uint8Array;
  /** The 64 bytes of the faucet's keypair. */
  readonly faucet: Uint8Array;
}

/** The chain on disk: accounts and transactions in one SQLite file. Nothing else touches it. */
export class Ledger {
  readonly #lock: { release(): void };
  readonly #db: Database;
  /** Null for a ledger in memory. */
  readonly #log: LogSync | null;
  readonly genesis: Genesis;
  readonly accounts: AccountTable;
  readonly transactions: TransactionTable;

  /**
   * @param path a file, made when missing, or ":memory:"
   * @param makeGenesis what a new ledger starts with
   * @throws {LedgerVersionError}
   * @throws {LedgerInUseError}
   */
  constructor(path: string, makeGenesis: () => Genesis) {
    this.#lock = lockLedger(path);
    this.#db = new Database(path, { create: true, strict: true, safeIntegers: true });
    try {
      this.genesis = this.#open(makeGenesis);
      this.accounts = new AccountTable(this.#db);
      this.transactions = new TransactionTable(this.#db);
      this.#log = path === ":memory:" ? null : new LogSync(`${path}-wal`);
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

  /** The highest slot noted, 0 on a new ledger. */
  get highestSlot(): number {
    return Number(this.#getMeta("highest_slot") ?? 0n);
  }

  /**
   * Notes that a slot was seen. It survives the end of this process; a power failure may undo it
   * back to the last transaction, which is why nobody need wait until it is on the disk.
   */
  noteSlot(slot: number): void {
    this.#setMeta("highest_slot", BigInt(slot));
  }

  /**
   * Writes a transaction and what it made of the accounts: all of it or nothing. It survives the
   * end of this process at once, and a power failure from {@link whenSynced} on.
   *
   * @param prunable of older transactions; null when all stay
   */
  commit(
    transaction: NewTransaction,
    changes: readonly AccountChange[],
    prunable: Prunable | null,
  ): void {
    this.#write(() => {
      this.transactions.insert(transaction);
      if (prunable !== null) this.transactions.prune(prunable);
      this.accounts.write(changes);
      this.#setMeta("highest_slot", BigInt(transaction.slot));
    });
  }

  /** Writes accounts without a transaction, as genesis does. */
  setAccounts(changes: readonly AccountChange[]): void {
    this.#write(() => this.accounts.write(changes));
  }

  /**
   * Waits until all that was written is on the disk.
   *
   * @returns null when it is there already
   * @throws {Error} the disk failed
   */
  whenSynced(): Promise<void> | null {
    return this.#log?.whenSynced() ?? null;
  }

  close(): void {
    try {
      this.#log?.close();
    } finally {
      this.#db.close();
      this.#lock.release();
    }
  }

  #write(work: () => void): void {
    this.#db.transaction(work)();
    this.#log?.wrote();
  }

  #getMeta(key: string): bigint | Uint8Array | undefined {
    return this.#db
      .query<{ value: bigint | Uint8Array }, [string]>("SELECT value FROM meta WHERE key = ?")
      .get(key)?.value;
  }

  #setMeta(key: string, value: bigint | Uint8Array): void {
    this.#db
      .query("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
      .run(key, value);
  }
}
