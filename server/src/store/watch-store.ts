/** From how many lamports on an agent wants to hear of fees that it can claim. */
export interface FeeThreshold {
  /** Null for all tokens that have no threshold of their own. */
  readonly tokenMint: string | null;
  readonly lamports: bigint;
}

/** A token whose pool may bring an event. */
export interface WatchedToken {
  readonly id: number;
  readonly wallet: string;
  readonly tokenMint: string;
  readonly poolAddress: string;
  /** When fees were claimed last; null while unclaimed. */
  readonly claimedAt: number | null;
  /** Whether the agent was told that the fees have reached its threshold, and they stayed there. */
  readonly isTold: boolean;
  /** Lamports from which on the agent wants to hear of fees; null if it does not. */
  readonly threshold: bigint | null;
}

/** What the pools of tokens are watched for, and the events that this brings. */
export interface WatchStore {
  /** The thresholds of a wallet: the one of all tokens first, then by mint. */
  thresholds(wallet: string): Promise<FeeThreshold[]>;
  setThreshold(wallet: string, threshold: FeeThreshold): Promise<void>;
  /** Deletes a threshold, if there is one. Tokens that it was for are told again by the next. */
  deleteThreshold(wallet: string, tokenMint: string | null): Promise<void>;

  /** At most `limit` tokens of all wallets that have not migrated, with ids above `after`, in order. */
  unmigrated(after: number, limit: number): Promise<WatchedToken[]>;
  /** At most `limit` wallets with a threshold, after this one, in order. */
  walletsWithThresholds(after: string, limit: number): Promise<string[]>;
  /** At most `limit` migrated tokens of a wallet that have a threshold, with ids above `after`, in order. */
  migratedOf(wallet: string, after: number, limit: number): Promise<WatchedToken[]>;

  /**
   * Records that a token has migrated, and adds `token.migrated`.
   *
   * @returns whether this call did; false if it was recorded before
   */
  migrate(tokenMint: string): Promise<boolean>;
  /**
   * Records that a token's fees have reached the threshold, and adds `fees.claimable`. Does nothing if
   * the agent was told before, has claimed, or has changed its threshold since the token was read.
   *
   * @returns whether this call did
   */
  tellFees(token: WatchedToken): Promise<boolean>;
  /** Records that a token's fees are below the threshold: when they reach it, the agent is told again. */
  rearm(tokenMint: string): Promise<void>;

  /**
   * Takes or keeps the watch, which one server of a database has at a time.
   *
   * @returns false if another has it
   */
  lease(leaseId: string, milliseconds: number): Promise<boolean>;
  release(leaseId: string): Promise<void>;
}

/** The name of the watch among the leases. */
export const WATCH_LEASE = "pool watch";

/**
 * No watch is leased for longer than this, in milliseconds. If one seems to be, the clock has stepped
 * back since, and the lease counts as run out.
 */
export const LONGEST_WATCH_MS = 2 * 3_600_000;

/** How a threshold of all tokens is stored. */
export const ALL_TOKENS = "";
