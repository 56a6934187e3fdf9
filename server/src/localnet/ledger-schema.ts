import type { Database } from "bun:sqlite";

const VERSION = 1;

/** The size of SQLite's page cache, in KiB. */
const CACHE_KIB = 32 * 1024;

/**
 * At this many pages of the write-ahead log, 64 MiB, a commit copies the log into the file, which
 * takes long. Normally a `Checkpointer` does it earlier.
 */
const LOG_PAGES = 16_384;

/** The addresses of SPL Token and Token-2022, as an SQL list of blobs. */
const TOKEN_PROGRAMS_SQL =
  "x'06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9'," +
  "x'06ddf6e1ee758fde18425dbce46ccddab61afc4d83b90d27febdf928d8a18bfc'";

/** A token account starts with its mint and its owner, 32 bytes each (spl-token `state::Account`). */
export const IS_TOKEN_ACCOUNT_SQL = `owner IN (${TOKEN_PROGRAMS_SQL}) AND length(data) >= 165`;
export const TOKEN_OWNER_SQL = "substr(data, 33, 32)";

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
  rent_epoch INTEGER NOT NULL,
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
  seq INTEGER NOT NULL REFERENCES transactions (seq),
  PRIMARY KEY (address, seq)
) STRICT, WITHOUT ROWID;
`;

/** A ledger file that this version cannot read. */
export class LedgerVersionError extends Error {
  override readonly name = "LedgerVersionError";
  readonly code = "ledger_version";
}

/**
 * Prepares a database for use as a ledger.
 *
 * @param fill fills a new one, in the transaction that creates its tables
 * @throws {LedgerVersionError} if another version of this program wrote it
 */
export function prepareLedger(db: Database, fill: () => void): void {
  db.run("PRAGMA journal_mode = WAL");
  // Commits do not wait for the disk: they survive the end of the process, not a power failure.
  db.run("PRAGMA synchronous = NORMAL");
  db.run("PRAGMA busy_timeout = 5000");
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.run(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
  const row = db.query<{ user_version: bigint }, []>("PRAGMA user_version").get();
  const version = Number(row?.user_version ?? 0);
  if (version === VERSION) return;
  if (version !== 0) {
    throw new LedgerVersionError(
      `the ledger has format ${version}, this program reads format ${VERSION}: use the program that wrote it, or another ledger file`,
    );
  }
  db.transaction(() => {
    db.run(SCHEMA);
    fill();
    db.run(`PRAGMA user_version = ${VERSION}`);
  })();
}
