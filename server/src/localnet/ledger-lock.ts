import { LockInUseError, type SqliteLock, takeLock } from "../base/sqlite-lock.ts";

/** Another process has the ledger open. */
export class LedgerInUseError extends Error {
  override readonly name = "LedgerInUseError";
  readonly code = "ledger_in_use";
}

/**
 * Keeps a ledger to this process until the lock is released: the chain in memory follows the file
 * only while nobody else writes to it. Others can still read the ledger.
 *
 * @throws {LedgerInUseError} if another process holds the lock
 */
export function lockLedger(ledgerPath: string): SqliteLock {
  if (ledgerPath === ":memory:") return { release: () => {} };
  try {
    return takeLock(`${ledgerPath}.lock`);
  } catch (error) {
    if (!(error instanceof LockInUseError)) throw error;
    throw new LedgerInUseError(
      `another process has the ledger ${ledgerPath} open: stop it, or use another ledger file`,
      { cause: error },
    );
  }
}
