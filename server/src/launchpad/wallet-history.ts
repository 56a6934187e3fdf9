/** How far the launch wallet's transactions were seen. */
export interface HistoryPlace {
  /** Of the last one that was seen, base58; null if there was none. */
  readonly signature: string | null;
  readonly slot: number;
}

export interface SeenTransaction extends HistoryPlace {
  readonly signature: string;
}

export interface WalletHistory {
  newest(): Promise<HistoryPlace>;

  /**
   * The wallet's transactions that succeeded after a place, oldest first. A node that is behind it
   * shows nothing: to one that does not know the transaction there, all older ones are new.
   */
  since(after: HistoryPlace): Promise<readonly SeenTransaction[]>;

  /**
   * Whether it made a pool; null if it is of a version that this program cannot read. @throws
   * {ChainUnavailableError} the RPC does not answer, or not yet
   */
  isLaunch(signature: string): Promise<boolean | null>;
}
