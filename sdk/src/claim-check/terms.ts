/** The limits that a claim transaction must keep. */
export interface ClaimTerms {
  /** The wallet that signs and is paid: base58. */
  agent: string;
  /** The token whose fees are claimed, or several: base58 of the mint. */
  tokenMint: string | readonly string[];
  /** Lamports of network fee, with the priority fee, that it may cost the agent at most. */
  maxNetworkFeeLamports: bigint;
  /**
   * The token's pool on a sandbox, or those of several: base58. Only with it may a claim transfer
   * wrapped SOL, and only from that pool's fee vaults. Any other transfer could take from a wallet
   * that approved the agent.
   */
  sandboxPool?: string | readonly string[] | undefined;
}

/** What a claim transaction costs the agent at most. */
export interface ClaimCost {
  /** With the priority fee, for example 25000n. If the claim is sponsored, the agent repays it. */
  networkFeeLamports: bigint;
  /**
   * Of all `createdAccounts` together, for example 2039280n. Of a sponsored claim that was not compared
   * with the cluster, also what it repays as rent: the account may have cost its sponsor less.
   */
  rentLamports: bigint;
  /** The agent's token accounts that the claim makes if they do not exist, and keeps. */
  createdAccounts: readonly CreatedAccount[];
  /** Present if the claim is sponsored: who pays for it in advance. */
  sponsor?: ClaimSponsor;
}

/** The wallet that pays for a claim of an agent without SOL, and is repaid out of the fees. */
export interface ClaimSponsor {
  /** Base58. */
  address: string;
  /**
   * What the agent transfers to it, for example 2049280n: at most the network fee, and the rent of the
   * account for wrapped SOL, which the agent gets when the account is closed.
   */
  repaidLamports: bigint;
  /**
   * The account for wrapped SOL, with what the agent repays of its rent: at most 6,960 lamports per byte,
   * and with `rpcUrl` what the cluster demands. Absent if the claim repays no rent.
   */
  account?: CreatedAccount;
}

/** One of the agent's token accounts that a claim may make. */
export interface CreatedAccount {
  /** Base58. */
  address: string;
  /** Its rent, which the agent pays unless the account exists. */
  lamports: bigint;
}
