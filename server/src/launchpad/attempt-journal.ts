import type { PoolTerms } from "./pool-terms.ts";

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
  reserve(cost: AttemptCost): Promise<Reservation>;

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

/** What a launch is about to cost, and what holds it back. Lamports. */
export interface AttemptCost {
  readonly lamports: bigint;
  /** The launch wallet's balance, read before. */
  readonly walletLamports: bigint;
  /** The least that must stay in the wallet after this launch and all others that are reserved. */
  readonly minWalletLamports: bigint;
  /** The most of a UTC day; null for no limit. */
  readonly maxDailyLamports: bigint | null;
}

export type Reservation =
  /** @property reserved lamports that other launches have set aside */
  | { readonly kind: "reserved" | "wallet_short"; readonly reserved: bigint }
  /** @property spent lamports of the day so far */
  | { readonly kind: "day_spent"; readonly spent: bigint };
