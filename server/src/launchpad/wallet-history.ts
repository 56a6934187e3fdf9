/** How far the launch wallet's transactions were seen. */
export interface HistoryPlace {
  /** Of the last one that was seen, base58; null if there was none. */
  readonly signature: string | null;
  readonly slot: number;
}

/** A transaction of the launch wallet. */
export interface SeenTransaction extends HistoryPlace {
  readonly signature: string;
}

/** What the launch wallet's transactions did, whichever server sent them. */
export interface WalletHistory {
  newest(): Promise<HistoryPlace>;

  /**
   * Reads the wallet's transactions that succeeded after a place. A node that is behind it shows nothing:
   * to one that does not know the transaction there, all older ones are new.
   *
   * @returns them, oldest first
   * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly, or is behind the place
   */
  since(after: HistoryPlace): Promise<readonly SeenTransaction[]>;

  /**
   * Whether a transaction created a pool.
   *
   * @throws {ChainUnavailableError} the RPC does not answer, or does not have it yet
   */
  isLaunch(signature: string): Promise<boolean>;
}
