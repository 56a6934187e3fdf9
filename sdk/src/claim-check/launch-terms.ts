import type { FeeTerms } from "./terms.ts";

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
  /**
   * Whether the config lets it pay only the lowest fee; the buy then passes the instructions
   * sysvar. Default: the check accepts both.
   */
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
