/** The limits that a claim transaction must keep. */
export interface ClaimTerms {
  /** The wallet that signs and is paid: base58. */
  agent: string;
  /** The token whose fees are claimed: base58 of its mint. */
  tokenMint: string;
  /** Lamports of network fee, with the priority fee, that it may cost the agent at most. */
  maxNetworkFeeLamports: bigint;
  /**
   * The token's pool on a sandbox: base58. Only with it may a claim transfer wrapped SOL, and only
   * from that pool's fee vaults. Any other transfer could take from a wallet that approved the
   * agent.
   */
  sandboxPool?: string | undefined;
}

/** What a claim transaction costs the agent at most. */
export interface ClaimCost {
  /** With the priority fee, for example 25000n. */
  networkFeeLamports: bigint;
  /** Of all `createdAccounts` together, for example 2039280n. */
  rentLamports: bigint;
  /** The agent's token accounts that the claim makes if they do not exist, and keeps. */
  createdAccounts: readonly CreatedAccount[];
}

/** One of the agent's token accounts that a claim may make. */
export interface CreatedAccount {
  /** Base58. */
  address: string;
  /** Its rent, which the agent pays unless the account exists. */
  lamports: bigint;
}
