/** The limit of a transaction's network fee. */
export interface FeeTerms {
  /** Maximum network fee, including the priority fee. */
  maxNetworkFeeLamports: bigint;
  /** What a node that you trust says. Default: 5,000 lamports per signature, and priority fee. */
  networkFeeLamports?: bigint | undefined;
}

/** The limits of a claim transaction. */
export interface ClaimTerms extends FeeTerms {
  /** The wallet that signs and is paid, base58. */
  agent: string;
  /** The mint of the claimed token, or of several, base58. */
  tokenMint: string | readonly string[];
  /**
   * The token's pool on a sandbox, or several in the order of their mints, base58. Only then may a
   * claim transfer wrapped SOL: from that pool's fee vaults, if it can land only on a sandbox.
   */
  sandboxPool?: string | readonly string[] | undefined;
  /** Who gets the fees: a wallet, or up to five with their shares. Default: the agent. */
  receivers?: string | readonly ClaimReceiver[] | undefined;
}

/** A wallet that gets a share of a claim's fees. */
export interface ClaimReceiver {
  /** Base58. */
  address: string;
  /** Whole percent. The shares add up to 100; the first receiver gets the remainder of rounding. */
  share: number;
}

/** What a receiver gets of a claim. */
export interface ReceiverPayout {
  /** Base58. */
  address: string;
  /** For example 2240000n. The agent's own share stays in its wallet. */
  lamports: bigint;
}

/** What a claim transaction claims, and the most that it can cost the agent. */
export interface ClaimCost {
  /** The tokens whose fees it takes, base58. */
  tokenMints: readonly string[];
  /**
   * Includes the priority fee, for example 25000n. With `rpcUrl` it comes from that node; otherwise
   * it counts 5,000 lamports per signature. In a sponsored claim the agent repays it.
   */
  networkFeeLamports: bigint;
  /**
   * The rent of all `createdAccounts`, for example 2039280n. Without `rpcUrl` it includes the rent
   * that a sponsored claim repays, because the account may have cost the sponsor less.
   */
  rentLamports: bigint;
  /** The agent's token accounts that the claim makes, unless they exist, and that remain. */
  createdAccounts: readonly CreatedAccount[];
  /** Present if the claim is sponsored: the wallet that pays for it in advance. */
  sponsor?: ClaimSponsor;
  /** Present with receivers: what each gets. */
  receivers?: readonly ReceiverPayout[];
}

/** The wallet that pays for the claim of an agent without SOL, and is repaid from the fees. */
export interface ClaimSponsor {
  /** Base58. */
  address: string;
  /** For example 2049280n: at most the network fee and the rent of the wrapped-SOL account. */
  repaidLamports: bigint;
  /**
   * The account for wrapped SOL, with the rent that the agent repays: at most 6,960 lamports per
   * byte, or with `rpcUrl` the cluster's rent. Absent if the claim repays no rent.
   */
  account?: CreatedAccount;
}

/** A token account of the agent that a claim makes. */
export interface CreatedAccount {
  /** Base58. */
  address: string;
  /** Its rent, which the agent pays unless the account already exists. */
  lamports: bigint;
}

/** What a hand-over may do. */
export interface HandOverTerms extends FeeTerms {
  /** The wallet that signs and pays, base58. */
  agent: string;
  /** The mint of the token, base58. */
  tokenMint: string;
  /** The wallet that gets the token's fees, base58. */
  to: string;
  /** The token's pool on a sandbox, base58, for a transaction that can land only there. */
  sandboxPool?: string | undefined;
}

/** What a checked hand-over gives away, and the most that it can cost the agent. */
export interface HandOverCost {
  /** Like that of a `ClaimCost`, for example 5000n. */
  networkFeeLamports: bigint;
  /** The rent of all `createdAccounts`, for example 2074080n; the agent does not get it back. */
  rentLamports: bigint;
  /** The receiver's accounts for the NFTs that the hand-over makes, unless they exist. */
  createdAccounts: readonly CreatedAccount[];
  /** Whether the receiver becomes the pool's creator, who earns the bonding curve's fees. */
  givesRole: boolean;
  /** Whether it gets the agent's position in the migrated pool, which earns that pool's fees. */
  givesPosition: boolean;
  /** The NFTs of the positions that the hand-over gives, base58. */
  positionNfts: readonly string[];
  /** The pools of the role and of the positions, base58. */
  poolAddresses: readonly string[];
}

/** What an agent asked for, and what its launch may cost. */
export interface LaunchTerms extends FeeTerms {
  /** The wallet that signs, pays, and gets the fees: base58. */
  agent: string;
  /** The launchpad's config that sets the agent's share, base58; null for a launch on a sandbox. */
  config: string | null;
  /** The name that goes on chain. */
  name: string;
  /** The symbol that goes on chain. */
  symbol: string;
  /** The address of the metadata document; `<mint>` stands for the token's address. */
  uri: string;
  /** What the agent buys in the same transaction; absent if it buys nothing. */
  firstBuy?: FirstBuyTerms | undefined;
}

/** What an agent buys of its token before anyone else can. */
export interface FirstBuyTerms {
  /** Lamports that it pays, including the trading fee. */
  lamports: bigint;
  /** The least that it gets, in the token's smallest unit. */
  minUnits: bigint;
  /** Whether it pays only the lowest fee, by the config. Default: the check accepts both. */
  atLowestFee?: boolean;
}

/** What a checked launch does. */
export interface CheckedLaunch {
  /** Base58. */
  tokenMint: string;
  /** Base58. */
  poolAddress: string;
  /** The token program of the mint: SPL Token or Token-2022. */
  tokenStandard: "spl" | "token-2022";
  /** Like that of a `ClaimCost`. */
  networkFeeLamports: bigint;
  /** Bytes that rent is paid for, including an account that may already exist. */
  rentBytes: bigint;
  /** Present on a sandbox: lamports of rent that the launch pays per byte. */
  lamportsPerByte?: bigint;
  /** Lamports that Token Metadata takes. */
  metadataFeeLamports: bigint;
  /** Lamports that the first buy takes; 0 without one. */
  firstBuyLamports: bigint;
}
