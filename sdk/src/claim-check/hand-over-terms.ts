import type { CreatedAccount, FeeTerms } from "./terms.ts";

/** What a hand-over may do. */
export interface HandOverTerms extends FeeTerms {
  /** The wallet that signs and pays, base58. */
  agent: string;
  /** The mint of the token, base58. */
  tokenMint: string;
  /** The wallet that gets the token's fees, base58. */
  to: string;
  /** The token's pool on a sandbox, base58: for a transaction that can land on a sandbox alone. */
  sandboxPool?: string | undefined;
}

/** What a checked hand-over gives away, and the most that it can cost the agent. */
export interface HandOverCost {
  /** As that of a `ClaimCost`, for example 5000n. */
  networkFeeLamports: bigint;
  /** Of all `createdAccounts`, for example 2074080n: the agent does not get it back. */
  rentLamports: bigint;
  /** The receiver's accounts for the NFTs, unless they exist. */
  createdAccounts: readonly CreatedAccount[];
  /** Whether the receiver gets the role of the pool's creator, which the fees of the bonding curve follow. */
  givesRole: boolean;
  /** Whether it gets the agent's position in the pool after the curve, which that pool's fees follow. */
  givesPosition: boolean;
  /** The NFTs of the positions that it gives, base58. */
  positionNfts: readonly string[];
  /** The pools of the role and of the positions, base58. */
  poolAddresses: readonly string[];
}
