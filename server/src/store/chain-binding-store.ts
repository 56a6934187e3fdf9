/** The chain, the wallet and the secrets that a database's launches belong to. */
export interface ChainBinding {
  readonly chain: "local" | "solana";
  /** Base58. */
  readonly launchWallet: string;
  /** Base58; null until the server first reads it. */
  readonly genesisHash: string | null;
  /** Of the mint secret; null if an older version bound the database. */
  readonly mintSecretFingerprint: string | null;
  /** Base58, the DBC config; null on the sandbox, and if an older version bound the database. */
  readonly dbcConfig: string | null;
}

/** The one row that says what the database's launches belong to. */
export interface ChainBindingStore {
  /** @returns null before the first start, and for a database that an older version created */
  read(): Promise<ChainBinding | null>;
  /** Whether there is any launch, in any state. */
  hasLaunches(): Promise<boolean>;
  /**
   * Binds what of the database is not bound yet: of servers that start at once, one binds it.
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
