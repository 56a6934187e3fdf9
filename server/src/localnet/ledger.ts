import { Database } from "bun:sqlite";
import { base58 } from "../base/base58.ts";
import { type SqliteLock, takeLock } from "../base/files.ts";
import { IS_TOKEN_ACCOUNT_SQL, TOKEN_OWNER_SQL } from "./accounts.ts";

const VERSION = 1;

const CACHE_KIB = 32 * 1024;

/** 4 GiB: SOL is free here, so that anyone who reaches the chain can fill accounts of 10 MiB. */
const MAX_PAGES = 1_048_576;

const SCHEMA = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT;

CREATE TABLE accounts (
  address BLOB PRIMARY KEY,
  owner BLOB NOT NULL,
  lamports INTEGER NOT NULL,
  executable INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE INDEX accounts_by_owner ON accounts (owner);
CREATE INDEX token_accounts_by_owner ON accounts (${TOKEN_OWNER_SQL}) WHERE ${IS_TOKEN_ACCOUNT_SQL};

CREATE TABLE transactions (
  seq INTEGER PRIMARY KEY,
  signature BLOB NOT NULL UNIQUE,
  message_hash BLOB NOT NULL UNIQUE,
  slot INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  error TEXT,
  meta TEXT NOT NULL
) STRICT;
CREATE INDEX transactions_by_slot ON transactions (slot);

CREATE TABLE transaction_addresses (
  address BLOB NOT NULL,
  seq INTEGER NOT NULL REFERENCES transactions (seq) ON DELETE CASCADE,
  PRIMARY KEY (address, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX transaction_addresses_by_seq ON transaction_addresses (seq);
`;

export interface Genesis {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** The length of a slot, in milliseconds. */
  readonly slotMs: number;
  /** 32 random bytes from which the blockhashes are derived. */
  readonly seed: Uint8Array;
  /** The 64 bytes of the faucet's keypair. */
  readonly faucet: Uint8Array;
}

type MetaValue = bigint | Uint8Array;

/**
 * The chain on disk: accounts and transactions in one SQLite file. Only one process may open it,
 * because the chain in memory does not see what another process writes.
 */
export class Ledger {
  readonly #lock: SqliteLock | null;
  readonly db: Database;

  /**
   * @param path a file, or ":memory:"; a new ledger gets the result of `makeGenesis`
   * @throws {Error} the file has another format, or another process has it open
   */
  constructor(path: string, makeGenesis: () => Genesis) {
    this.#lock =
      path === ":memory:"
        ? null
        : takeLock(
            `${path}.lock`,
            `another process has the ledger ${path} open: stop it, or use another ledger file`,
          );
    this.db = new Database(path, { create: true, strict: true, safeIntegers: true });
    try {
      this.#prepare(makeGenesis);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get genesis(): Genesis {
    return {
      timeMs: Number(this.#getMeta("genesis_time")),
      slotMs: Number(this.#getMeta("slot_ms")),
      seed: this.#getMeta("genesis_seed") as Uint8Array,
      faucet: this.#getMeta("faucet") as Uint8Array,
    };
  }

  /** The slot of the latest transaction; 0 on a new ledger. */
  get highestSlot(): number {
    const row = this.db
      .query<{ slot: bigint | null }, []>("SELECT max(slot) AS slot FROM transactions")
      .get();
    return Number(row?.slot ?? 0n);
  }

  write(work: () => void): void {
    this.db.transaction(work)();
  }

  close(): void {
    this.db.close();
    this.#lock?.release();
  }

  #prepare(makeGenesis: () => Genesis): void {
    this.db.run("PRAGMA journal_mode = WAL");
    // Commits do not wait for the disk: they survive the process's end, but not a power failure.
    this.db.run("PRAGMA synchronous = NORMAL");
    this.db.run("PRAGMA busy_timeout = 5000");
    this.db.run("PRAGMA foreign_keys = ON");
    this.db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.db.run(`PRAGMA max_page_count = ${MAX_PAGES}`);
    const row = this.db.query<{ user_version: bigint }, []>("PRAGMA user_version").get();
    const version = Number(row?.user_version ?? 0);
    if (version === VERSION) return;
    if (version !== 0) {
      throw new Error(
        `the ledger has format ${version}, this program reads format ${VERSION}: use the program that wrote it, or another ledger file`,
      );
    }
    this.write(() => {
      this.db.run(SCHEMA);
      const { timeMs, slotMs, seed, faucet } = makeGenesis();
      this.#setMeta("genesis_time", BigInt(timeMs));
      this.#setMeta("slot_ms", BigInt(slotMs));
      this.#setMeta("genesis_seed", seed);
      this.#setMeta("faucet", faucet);
      this.db.run(`PRAGMA user_version = ${VERSION}`);
    });
  }

  #getMeta(key: string): MetaValue | undefined {
    return this.db
      .query<{ value: MetaValue }, [string]>("SELECT value FROM meta WHERE key = ?")
      .get(key)?.value;
  }

  #setMeta(key: string, value: MetaValue): void {
    this.db
      .query("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
      .run(key, value);
  }
}

export function genesisHashOf(seed: Uint8Array): string {
  return base58.encode(new Bun.CryptoHasher("sha256").update(seed).digest());
}

/** Reads a genesis hash, even while a server runs. @throws {Error} the file is not a ledger */
export function readGenesisHash(ledgerPath: string): string {
  const client = new Database(ledgerPath, { readonly: true });
  try {
    const row = client
      .query<{ value: Uint8Array }, []>("SELECT value FROM meta WHERE key = 'genesis_seed'")
      .get();
    if (row === null) throw new Error(`${ledgerPath} holds no chain`);
    return genesisHashOf(row.value);
  } finally {
    client.close();
  }
}
