import type { Journal, SignedTransaction } from "./journal.ts";

/** What a collection takes from one token. JSON in the database. */
export interface CollectedToken {
  readonly tokenMint: string;
  /** The accounts from which the lamports come: the curve's pool and the vaults of its pools. */
  readonly vaults: readonly string[];
  /** Lamports in decimal. */
  readonly lamports: string;
}

/** A signed transaction by which the launch wallet takes its share of tokens' fees. */
export interface SignedCollection extends SignedTransaction {
  /** Whose share it is; it pays for the transaction. */
  readonly wallet: string;
  readonly tokens: readonly CollectedToken[];
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly submittedAt: number;
}

export type CollectionEnd =
  | {
      readonly status: "confirmed";
      readonly tokens: readonly CollectedToken[];
      readonly paidLamports: bigint;
      readonly feeLamports: bigint;
      readonly at: number;
    }
  | { readonly status: "failed" | "expired"; readonly feeLamports: bigint; readonly at: number };

/** Keeps what was signed to collect, and how it ended. */
export interface CollectionLedger extends Journal<SignedCollection> {
  /** Ends a collection. Does nothing if it has ended. */
  end(signature: string, end: CollectionEnd): Promise<void>;
}
