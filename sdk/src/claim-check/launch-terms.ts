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
  /** What the agent buys in the same transaction; absent if nothing. */
  firstBuy?: FirstBuyTerms | undefined;
}

/** What an agent buys of its token before anyone else can. */
export interface FirstBuyTerms {
  /** Lamports that it pays, with the fee of the trade. */
  lamports: bigint;
  /** The least that it gets, in the token's smallest unit. */
  minUnits: bigint;
  /**
   * Whether the config lets it pay only the lowest fee, for which its program is shown the transaction's instructions.
   * If it is not known, either is accepted.
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
  /** As that of a `ClaimCost`. */
  networkFeeLamports: bigint;
  /** Bytes that rent is paid for, those of an account that may exist already included. */
  rentBytes: bigint;
  /** Present on a sandbox: what its launch pays for each of them. */
  lamportsPerByte?: bigint;
  /** What Token Metadata takes. */
  metadataFeeLamports: bigint;
  /** What the first buy takes; 0 without one. */
  firstBuyLamports: bigint;
}
