import type { TokenLinks } from "../domain/launch.ts";
import type { PoolTerms } from "../domain/pool-terms.ts";

/** A token that is on chain. */
export interface TokenRow {
  /** Grows with each token: the order of lists and the cursor of their pages. */
  readonly id: number;
  readonly tokenMint: string;
  readonly poolAddress: string;
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly name: string;
  readonly deployedAt: number;
  /** When fees were claimed last; null while unclaimed. */
  readonly claimedAt: number | null;
  readonly claimedTo: string | null;
}

/** A token as lists show it. */
export type ListedToken = Omit<TokenRow, "eventId" | "wallet">;

/** The contents of a token's metadata document. */
export interface TokenMetadataRow extends TokenLinks {
  /** The agent's wallet. */
  readonly wallet: string;
  readonly name: string;
  readonly ticker: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  /** Null if it is not known what was signed: a restored backup may lack it. */
  readonly poolTerms: PoolTerms | null;
  /** Whether the token is on chain; until then it may still be made under other terms. */
  readonly isDeployed: boolean;
}

/** Where a token comes from. */
export interface TokenOrigin {
  readonly token: TokenRow;
  /** Signature of the transaction that made the token; null if a restored backup lacks it. */
  readonly signature: string | null;
  /** Null with the signature. */
  readonly poolTerms: PoolTerms | null;
}

/** A token, and the image of this service that it has. */
export interface ExportedToken {
  readonly id: number;
  readonly tokenMint: string;
  readonly imageHash: string | null;
}

/** A token and its pool. */
export type PooledToken = Pick<TokenRow, "id" | "tokenMint" | "poolAddress" | "ticker" | "wallet">;

/** What the launch wallet paid for a token, in lamports; null if nothing is known of it. */
export interface TokenCosts {
  readonly id: number;
  readonly launchLamports: bigint | null;
  /** Null also if this service has not migrated its curve. */
  readonly migrationLamports: bigint | null;
}

/** One page of a list: the rows, and the id after which the next page starts. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

/**
 * The tokens that are on chain. A wallet's tokens commit in the order of their ids, so a cursor
 * skips none: its launches are leased one at a time.
 */
export interface TokenStore {
  /** All tokens of a wallet, newest first. */
  list(wallet: string): Promise<ListedToken[]>;
  /** At most `limit` tokens of a wallet older than `before`, newest first. */
  page(wallet: string, limit: number, before: number | null): Promise<Page<TokenRow>>;
  /** A token of this wallet; what belongs to another wallet does not exist. */
  find(wallet: string, mint: string): Promise<TokenRow | null>;
  /** A token of any wallet, for facts that are public on chain anyway. */
  findAny(mint: string): Promise<TokenRow | null>;
  /** Where the token of a mint comes from; null if this service has not launched it. */
  origin(mint: string): Promise<TokenOrigin | null>;
  /** At most `limit` tokens of all wallets with ids above `after`, in order, for exports. */
  after(after: number, limit: number): Promise<ExportedToken[]>;
  /** At most `limit` tokens of all wallets and their pools with ids above `after`, in order. */
  pools(after: number, limit: number): Promise<PooledToken[]>;
  /** What these tokens cost, of the same rows in the same order. */
  costs(after: number, limit: number): Promise<TokenCosts[]>;
  /**
   * The metadata of a mint, from the moment that the launch's transaction is signed: indexers ask
   * as soon as they see the mint on chain, which may be before the launch is settled.
   */
  metadata(mint: string): Promise<TokenMetadataRow | null>;
}
