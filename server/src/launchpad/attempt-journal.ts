import type { PoolTerms } from "../domain/pool-terms.ts";
import type { LaunchCost, Reservation } from "../domain/reservation.ts";

/**
 * A signed transaction that was stored before it was first sent, with the addresses that it creates:
 * its token is found even if the secret or the config has changed since.
 */
export interface LaunchAttempt {
  readonly tokenMint: string;
  readonly poolAddress: string;
  /** Base58. */
  readonly signature: string;
  /** The signed bytes; re-sent as they are. */
  readonly transaction: Uint8Array;
  /** The block height after which it can no longer land. */
  readonly lastValidBlockHeight: number;
}

/** An attempt that is not stored yet. */
export interface NewAttempt extends LaunchAttempt {
  /** What its pool is made under. */
  readonly terms: PoolTerms;
}

/**
 * Keeps what a launch signed and what it may cost, so that a restart and other servers know it. All of
 * it is durable when a call resolves.
 */
export interface AttemptJournal {
  /** The latest attempt; null if nothing was ever signed. */
  readonly latest: LaunchAttempt | null;

  /**
   * Sets lamports aside for the launch; replaces what was set aside for it before. The launch's success
   * ends the reservation as it is.
   *
   * @throws if the lease was lost
   */
  reserve(cost: LaunchCost): Promise<Reservation>;

  /**
   * Ends the reservation of a launch that took something else than what was set aside. Does nothing
   * without a reservation.
   *
   * @param spent lamports that it took
   */
  settle(spent: bigint): Promise<void>;

  /**
   * Stores an attempt, before it is first sent.
   *
   * @throws if the lease was lost or the agent has launched today; then nothing was stored, and nothing
   * is set aside for this lease any more
   */
  record(attempt: NewAttempt): Promise<void>;
}
