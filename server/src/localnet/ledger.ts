import { Database } from "bun:sqlite";
import type { AccountChange, StoredAccount } from "./account.ts";
import { lockLedger } from "./ledger-lock.ts";
import {
  IS_TOKEN_ACCOUNT_SQL,
  prepareLedger,
  TOKEN_MINT_SQL,
  TOKEN_OWNER_SQL,
} from "./ledger-schema.ts";

/** What was fixed when the ledger was made. */
export interface Genesis {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** 32 random bytes, from which the blockhashes follow. */
  readonly seed: Uint8Array;
  /** The 64 bytes of the faucet's keypair. */
  readonly faucet: Uint8Array;
}

/** How a transaction ended. */
export interface LedgerOutcome {
  readonly slot: number;
  /** JSON of the error, or null. */
  readonly error: string | null;
}

/** A processed transaction as it is kept. */
export interface LedgerTransaction extends LedgerOutcome {
  readonly signature: Uint8Array;
  readonly bytes: Uint8Array;
  /** JSON of the RPC's `meta`. */
  readonly meta: string;
}

export interface NewTransaction extends LedgerTransaction {
  readonly messageHash: Uint8Array;
  /** All accounts of the transaction, those of lookup tables too. */
  readonly addresses: readonly Uint8Array[];
}

/** Where a list of an account's transactions starts and ends, as in `getSignaturesForAddress`. */
export interface HistoryRange {
  readonly limit: number;
  /** Leaves out what came after this slot. */
  readonly lastSlot?: number | undefined;
  readonly before?: Uint8Array | undefined;
  readonly until?: Uint8Array | undefined;
}

/** The chain on disk: accounts and transactions in one SQLite file. Nothing else touches it. */
export class Ledger {
  readonly #lock: { release(): void };
  readonly #db: Database;
  readonly genesis: Genesis;

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
    } catch (error) {
      this.close();
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
   * back to the last transaction, which is why it need not wait for the disk.
   */
  noteSlot(slot: number): void {
    this.#db.run("PRAGMA synchronous = NORMAL");
    try {
      this.#setMeta("highest_slot", BigInt(slot));
    } finally {
      this.#db.run("PRAGMA synchronous = FULL");
    }
  }

  /** Writes a transaction and what it made of the accounts: all of it, on the disk, or nothing. */
  commit(transaction: NewTransaction, changes: readonly AccountChange[]): void {
    this.#db.transaction(() => {
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
      this.#writeAccounts(changes);
      this.#setMeta("highest_slot", BigInt(slot));
    })();
  }

  /** Writes accounts without a transaction, as genesis does. */
  setAccounts(changes: readonly AccountChange[]): void {
    this.#db.transaction(() => this.#writeAccounts(changes))();
  }

  /** All accounts there are. */
  *accounts(): Generator<AccountChange> {
    for (const row of this.#db.query<AccountRow, []>("SELECT * FROM accounts").iterate()) {
      yield fromRow(row);
    }
  }

  hasAccounts(): boolean {
    return this.#db.query("SELECT 1 FROM accounts LIMIT 1").get() !== null;
  }

  accountsOwnedBy(program: Uint8Array): AccountChange[] {
    return this.#db
      .query<AccountRow, [Uint8Array]>("SELECT * FROM accounts WHERE owner = ?")
      .all(program)
      .map(fromRow);
  }

  /** Accounts that may be token accounts, by the wallet that owns them. */
  tokenAccountsOf(wallet: Uint8Array): AccountChange[] {
    return this.#tokenAccounts(TOKEN_OWNER_SQL, wallet);
  }

  /** Accounts that may be token accounts, by their mint. */
  tokenAccountsOfMint(mint: Uint8Array): AccountChange[] {
    return this.#tokenAccounts(TOKEN_MINT_SQL, mint);
  }

  transaction(signature: Uint8Array): LedgerTransaction | null {
    const row = this.#db
      .query<TransactionRow, [Uint8Array]>("SELECT * FROM transactions WHERE signature = ?")
      .get(signature);
    return row === null ? null : { ...row, slot: Number(row.slot) };
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

  transactionCount(): number {
    const row = this.#db
      .query<{ count: bigint }, []>("SELECT coalesce(max(seq), 0) AS count FROM transactions")
      .get();
    return Number(row?.count ?? 0);
  }

  /** An account's transactions, newest first; none before a signature that is not known. */
  history(address: Uint8Array, range: HistoryRange): LedgerTransaction[] {
    const { limit, lastSlot, before, until } = range;
    const below = before === undefined ? MAX_INTEGER : this.#seqOf(before);
    if (below === undefined) return [];
    const above = until === undefined ? 0n : (this.#seqOf(until) ?? 0n);
    return this.#db
      .query<TransactionRow, [Uint8Array, bigint, bigint, bigint | number, number]>(
        `SELECT transactions.* FROM transaction_addresses JOIN transactions USING (seq)
         WHERE address = ? AND seq < ? AND seq > ? AND slot <= ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(address, below, above, lastSlot ?? MAX_INTEGER, limit)
      .map((row) => ({ ...row, slot: Number(row.slot) }));
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }

  #seqOf(signature: Uint8Array): bigint | undefined {
    return this.#db
      .query<{ seq: bigint }, [Uint8Array]>("SELECT seq FROM transactions WHERE signature = ?")
      .get(signature)?.seq;
  }

  #tokenAccounts(field: string, value: Uint8Array): AccountChange[] {
    return this.#db
      .query<AccountRow, [Uint8Array]>(
        `SELECT * FROM accounts WHERE ${field} = ? AND ${IS_TOKEN_ACCOUNT_SQL}`,
      )
      .all(value)
      .map(fromRow);
  }

  #writeAccounts(changes: readonly AccountChange[]): void {
    const remove = this.#db.query("DELETE FROM accounts WHERE address = ?");
    const write = this.#db.query(
      `INSERT INTO accounts (address, owner, lamports, executable, rent_epoch, data)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT (address) DO UPDATE SET
         owner = ?2, lamports = ?3, executable = ?4, rent_epoch = ?5, data = ?6`,
    );
    for (const { address, account } of changes) {
      if (account.lamports === 0n) {
        remove.run(address);
        continue;
      }
      write.run(
        address,
        account.owner,
        BigInt.asIntN(64, account.lamports),
        account.executable ? 1 : 0,
        BigInt.asIntN(64, account.rentEpoch),
        account.data,
      );
    }
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

const MAX_INTEGER = 0x7fff_ffff_ffff_ffffn;

interface AccountRow {
  readonly address: Uint8Array;
  readonly owner: Uint8Array;
  readonly lamports: bigint;
  readonly executable: bigint;
  readonly rent_epoch: bigint;
  readonly data: Uint8Array;
}

interface TransactionRow {
  readonly signature: Uint8Array;
  readonly slot: bigint;
  readonly bytes: Uint8Array;
  readonly error: string | null;
  readonly meta: string;
}

function fromRow(row: AccountRow): AccountChange {
  const account: StoredAccount = {
    // SQLite's integers are signed, Solana's are not.
    lamports: BigInt.asUintN(64, row.lamports),
    data: row.data,
    owner: row.owner,
    executable: row.executable !== 0n,
    rentEpoch: BigInt.asUintN(64, row.rent_epoch),
  };
  return { address: row.address, account };
}
