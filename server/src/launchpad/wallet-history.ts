/** What the launch wallet's transactions did, whichever server sent them. */
export interface WalletHistory {
  /**
   * @returns the signature of its newest transaction, base58; null if it has none
   * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
   */
  newest(): Promise<string | null>;

  /**
   * Reads the wallet's transactions that succeeded after another one.
   *
   * @param after a signature; null for all
   * @returns signatures, base58, oldest first
   * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
   */
  since(after: string | null): Promise<readonly string[]>;

  /**
   * Whether a transaction created a pool.
   *
   * @throws {ChainUnavailableError} the RPC does not answer, or does not have it yet
   */
  isLaunch(signature: string): Promise<boolean>;
}
