import type { FetchLike } from "../internal/fetch.ts";

/** What the chain shows of a token. */
export interface TokenProof {
  tokenMint: string;
  /** Whether no fact fails. */
  passed: boolean;
  facts: Fact[];
  /** The curve's pool, its config and its creator: null if there is none. */
  poolAddress: string | null;
  config: string | null;
  creator: string | null;
  /** The pool to which the curve migrated; null before that. */
  liquidityPoolAddress: string | null;
  /** Of the document's bytes, in hex; null if it was not read. */
  metadataSha256: string | null;
}

/**
 * One fact:
 *
 * - `pass`: it is as it should be, and the chain shows it.
 * - `fail`: it is not, or is not known.
 * - `info`: it is neither good nor bad.
 */
export interface Fact {
  name: FactName;
  status: "pass" | "fail" | "info";
  /** For example `none: no more tokens can be made`. */
  text: string;
}

export type FactName =
  | "token"
  | "mint_authority"
  | "freeze_authority"
  | "extensions"
  | "update_authority"
  | "metadata"
  | "pool"
  | "config"
  | "creator"
  | "curve_fees"
  | "pool_fees"
  | "locked_liquidity"
  | "delegates"
  | "supply";

/** Where to read, and what is expected. */
export interface VerifyOptions {
  /** A Solana node. */
  rpcUrl: string;
  /** The wallet that is expected as creator. */
  creator?: string | undefined;
  /** The config that is expected. Its pool is then known without a search. */
  config?: string | undefined;
  /** The token's pool, for a node that does not search accounts. */
  pool?: string | undefined;
  /** For everything; default: 60,000. */
  timeoutMs?: number | undefined;
  /** Default: the runtime's own. */
  fetch?: FetchLike | undefined;
  signal?: AbortSignal | undefined;
}
