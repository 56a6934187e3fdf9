/** What a claim transaction must keep to. */
export interface ClaimTerms {
  /** The wallet that is to sign, and to be paid: base58. */
  agent: string;
  /** The token whose fees are claimed: base58 of its mint. */
  tokenMint: string;
  /** Lamports of network fee, priority fee included, that it may cost the agent at most. */
  maxNetworkFeeLamports: bigint;
  /**
   * The token's pool on a sandbox: base58. Only with it may a claim transfer wrapped SOL, and only
   * out of the fee vaults of that pool: elsewhere such a transfer would take from whoever approved
   * the agent.
   */
  sandboxPool?: string | undefined;
}

/** What a claim transaction costs the agent at most. */
export interface ClaimCost {
  /** Priority fee included. */
  networkFeeLamports: bigint;
  /** Of all `createdAccounts` together. */
  rentLamports: bigint;
  /** Token accounts of the agent's that the claim makes if they are missing, and leaves behind. */
  createdAccounts: readonly CreatedAccount[];
}

/** A token account of the agent's that a claim may make. */
export interface CreatedAccount {
  /** Base58. */
  address: string;
  /** Its rent, which the agent lays out unless the account is there already. */
  lamports: bigint;
}
