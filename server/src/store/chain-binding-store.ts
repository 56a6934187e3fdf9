/** The chain, the wallet and the secrets that a database's launches belong to. */
export interface ChainBinding {
  readonly chain: "local" | "solana";
  /** Base58. */
  readonly launchWallet: string;
  /** Base58; null until the server first reads it. */
  readonly genesisHash: string | null;
  readonly mintSecretFingerprint: string;
  /** Base58, the DBC config; null while only one server uses the database. */
  readonly dbcConfig: string | null;
}

/** The one row that says what the database's launches belong to. */
export interface ChainBindingStore {
  /** @returns null before the first start, so before the first launch */
  read(): Promise<ChainBinding | null>;
  /**
   * Binds the database, or the config of one that has none: of servers that start at once, one does.
   *
   * @returns what is bound now
   */
  bind(binding: ChainBinding): Promise<ChainBinding>;
  /** Changes what the operator allowed to change. */
  change(
    changed: Partial<Pick<ChainBinding, "launchWallet" | "mintSecretFingerprint" | "dbcConfig">>,
  ): Promise<void>;
  /** Binds the chain's genesis hash, unless one is bound already. @returns the bound one */
  bindGenesis(genesisHash: string): Promise<string | null>;
}
