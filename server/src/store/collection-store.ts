import type { CollectionEnd, SignedCollection } from "../domain/collection.ts";

/** A collection with all that is known of it. */
export interface CollectionRow extends Omit<SignedCollection, "transaction"> {
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
  record(collection: SignedCollection): Promise<"recorded" | "in_flight">;

  /** The submitted collections in order: their outcome is unknown. */
  unsettled(): Promise<CollectionRow[]>;

  /** Ends a submitted collection. Does nothing if it is final. */
  end(signature: string, end: CollectionEnd): Promise<void>;

  /** At most `limit` collections with ids above `after`, in order. */
  after(after: number, limit: number): Promise<CollectionRow[]>;
}

/** @returns whether two collections take from the same token */
export function overlap(
  one: Pick<SignedCollection, "tokens">,
  other: Pick<SignedCollection, "tokens">,
): boolean {
  const mints = new Set(one.tokens.map(({ tokenMint }) => tokenMint));
  return other.tokens.some(({ tokenMint }) => mints.has(tokenMint));
}
