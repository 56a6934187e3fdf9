/** What a collection takes from one token. JSON in the database. */
export interface CollectedToken {
  readonly tokenMint: string;
  /** The wrapped-SOL vaults of its pools, from which the lamports come. */
  readonly vaults: readonly string[];
  /** Lamports in decimal. */
  readonly lamports: string;
}

/** A signed transaction by which the launch wallet takes its share of tokens' fees. */
export interface NewCollection {
  /** Whose share it is; it pays for the transaction. */
  readonly wallet: string;
  /** Base58. */
  readonly signature: string;
  /** The signed bytes; sent again as they are. */
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
  /** At least one; each once. */
  readonly tokens: readonly CollectedToken[];
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly submittedAt: number;
}

/** A collection with all that is known of it. */
export interface CollectionRow extends Omit<NewCollection, "transaction"> {
  /** Grows with each collection. */
  readonly id: number;
  /** `submitted`: stored, perhaps sent. All others are final. */
  readonly status: "submitted" | "confirmed" | "failed" | "expired";
  /** Null once it is final. */
  readonly transaction: Uint8Array | null;
  readonly settledAt: number | null;
  /** What left the pools' vaults; null unless it is confirmed. */
  readonly paidLamports: bigint | null;
  /** What the transaction cost; null until it is final. */
  readonly feeLamports: bigint | null;
}

/** How a collection ended. */
export type CollectionEnd =
  | {
      readonly status: "confirmed";
      /** What it took from which tokens. */
      readonly tokens: readonly CollectedToken[];
      readonly paidLamports: bigint;
      readonly feeLamports: bigint;
      readonly at: number;
    }
  | {
      readonly status: "failed" | "expired";
      readonly feeLamports: bigint;
      readonly at: number;
    };

/**
 * The ledger of what the launch wallet collected. Several processes may write it at the same time: a
 * token is in one submitted collection at most, and a final one never changes.
 */
export interface CollectionStore {
  /**
   * Stores a signed collection; called before it is first sent.
   *
   * @returns `in_flight` if another collection of one of its tokens is submitted; then nothing is stored
   */
  record(collection: NewCollection): Promise<"recorded" | "in_flight">;

  /** The submitted collections in order: their outcome is unknown. */
  unsettled(): Promise<CollectionRow[]>;

  /** Ends a submitted collection. Does nothing if it is final. */
  end(signature: string, end: CollectionEnd): Promise<void>;

  /** At most `limit` collections with ids above `after`, in order. */
  after(after: number, limit: number): Promise<CollectionRow[]>;
}

/** @returns whether two collections take from the same token */
export function overlap(
  one: Pick<NewCollection, "tokens">,
  other: Pick<NewCollection, "tokens">,
): boolean {
  const mints = new Set(one.tokens.map(({ tokenMint }) => tokenMint));
  return other.tokens.some(({ tokenMint }) => mints.has(tokenMint));
}
