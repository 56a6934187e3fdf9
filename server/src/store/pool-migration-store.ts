import type { SignedTransaction } from "../domain/journal.ts";
import type { LaunchCost } from "../domain/reservation.ts";
import type { ReserveOutcome } from "./spending.ts";

/** A migration that this server holds. */
export interface LeasedMigration {
  readonly tokenMint: string;
  readonly poolAddress: string;
  /** How often it was leased, this time included. */
  readonly attempts: number;
  /** What was signed and has no known outcome; null if there is nothing. */
  readonly latest: SignedTransaction | null;
}

export interface MigrationLease {
  readonly id: string;
  readonly ms: number;
}

/**
 * The migrations of complete curves that the launch wallet pays for. A lease of a token lets one server
 * work on it; all writes but the first are guarded by it.
 */
export interface PoolMigrationStore {
  /**
   * Leases the migration of a token for `ms`; makes its row if there is none.
   *
   * @returns null if another server holds it, it is not due yet, it is done, or there is no such token
   */
  lease(tokenMint: string, lease: MigrationLease): Promise<LeasedMigration | null>;

  /** Extends the lease. @returns false if it is lost */
  renew(tokenMint: string, lease: MigrationLease): Promise<boolean>;

  /** Sets lamports aside, in the same sums as launches. */
  reserve(tokenMint: string, leaseId: string, cost: LaunchCost): Promise<ReserveOutcome>;

  /** Ends the reservation. Does nothing without one. @param spent lamports that were taken */
  settle(tokenMint: string, leaseId: string, spent: bigint): Promise<void>;

  /** Stores a signed transaction, before it is first sent. @returns false if the lease is lost */
  record(tokenMint: string, leaseId: string, attempt: SignedTransaction): Promise<boolean>;

  /** Forgets the signed transaction: it failed or expired. */
  discard(tokenMint: string, leaseId: string): Promise<void>;

  /**
   * Gives the migration back, to be tried again from a time on; what was signed and reserved stays.
   *
   * @param runAt milliseconds of `Store.clock`
   * @param error why it is not done; for the operator
   */
  release(tokenMint: string, leaseId: string, runAt: number, error: string | null): Promise<void>;

  /** Ends it: the pool has migrated. What is set aside then counts as spent. */
  finish(tokenMint: string, leaseId: string): Promise<void>;

  /** The tokens whose migrations were begun and are not done, and which no server holds. */
  open(): Promise<string[]>;

  /** Frees all leases of an earlier process; does nothing on a shared store. */
  recover(): Promise<void>;
}
