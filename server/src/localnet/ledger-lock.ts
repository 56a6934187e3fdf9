import { Database } from "bun:sqlite";

/** Another process has the ledger open. */
export class LedgerInUseError extends Error {
  override readonly name = "LedgerInUseError";
  readonly code = "ledger_in_use";
}

/**
 * Keeps a ledger to this process for as long as the result is open: the chain in memory follows
 * the file only while nobody else writes to it. The ledger itself stays readable to others.
 *
 * @throws {LedgerInUseError}
 */
export function lockLedger(ledgerPath: string): { release(): void } {
  if (ledgerPath === ":memory:") return { release: () => {} };
  const lock = new Database(`${ledgerPath}.lock`, { create: true });
  try {
    lock.run("PRAGMA busy_timeout = 0");
    // The operating system takes such a lock back however the process ends.
    lock.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new LedgerInUseError(
      `another process has the ledger ${ledgerPath} open: stop it, or use another ledger file`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}
