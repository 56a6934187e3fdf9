/** What an agent asked for, and what its launch may cost. */
export interface LaunchTerms {
  /** The wallet that signs, pays, and gets the fees: base58. */
  agent: string;
  /** The launchpad's config that sets the agent's share: base58. */
  config: string;
  /** The name that goes on chain. */
  name: string;
  /** The symbol that goes on chain. */
  symbol: string;
  /** The address of the metadata document; `<mint>` stands for the token's address. */
  uri: string;
  /** What the agent buys in the same transaction; absent if nothing. */
  firstBuy?: FirstBuyTerms | undefined;
  /** Lamports of network fee, with the priority fee, that it may cost at most. */
  maxNetworkFeeLamports: bigint;
}

/** What an agent buys of its token before anyone else can. */
export interface FirstBuyTerms {
  /** Lamports that it pays, with the fee of the trade. */
  lamports: bigint;
  /** The least that it gets, in the token's smallest unit. */
  minUnits: bigint;
}

/** What a checked launch does. */
export interface CheckedLaunch {
  /** Base58. */
  tokenMint: string;
  /** Base58. */
  poolAddress: string;
  /** With the priority fee. */
  networkFeeLamports: bigint;
  /** Bytes that rent is paid for, those of an account that may exist already included. */
  rentBytes: bigint;
  /** What Token Metadata takes. */
  metadataFeeLamports: bigint;
  /** What the first buy takes; 0 without one. */
  firstBuyLamports: bigint;
}
