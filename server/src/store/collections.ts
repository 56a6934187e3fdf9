import { and, eq, gt } from "drizzle-orm";
import type { CollectionEnd, SignedCollection } from "../domain/collection.ts";
import type { Database } from "./database.ts";
import { collections } from "./schema.ts";

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
export class Collections {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores a signed collection; called before it is first sent.
   *
   * @returns `in_flight` if another collection of one of its tokens is submitted; then nothing is stored
   */
  record(collection: SignedCollection): Promise<"recorded" | "in_flight"> {
    return this.#db.transaction(
      async ({ orm }) => {
        const submitted = await orm
          .select({ tokens: collections.tokens })
          .from(collections)
          .where(eq(collections.status, "submitted"));
        if (submitted.some((other) => overlap(other, collection))) return "in_flight";
        const transaction = Buffer.from(collection.transaction);
        await orm.insert(collections).values({ ...collection, transaction });
        return "recorded";
      },
      ["collections"],
    );
  }

  /** The submitted collections in order: their outcome is unknown. */
  unsettled(): Promise<CollectionRow[]> {
    return this.#db.read(({ orm }) =>
      orm
        .select()
        .from(collections)
        .where(eq(collections.status, "submitted"))
        .orderBy(collections.id),
    );
  }

  /** Ends a submitted collection. Does nothing if it is final. */
  async end(signature: string, { at, ...end }: CollectionEnd): Promise<void> {
    await this.#db.transaction(({ orm }) =>
      orm
        .update(collections)
        .set({ ...end, settledAt: at, transaction: null })
        .where(and(eq(collections.signature, signature), eq(collections.status, "submitted"))),
    );
  }

  /** At most `limit` collections with ids above `after`, in order. */
  after(after: number, limit: number): Promise<CollectionRow[]> {
    return this.#db.read(({ orm }) =>
      orm
        .select()
        .from(collections)
        .where(gt(collections.id, after))
        .orderBy(collections.id)
        .limit(limit),
    );
  }
}

/** @returns whether two collections take from the same token */
function overlap(
  one: Pick<SignedCollection, "tokens">,
  other: Pick<SignedCollection, "tokens">,
): boolean {
  const mints = new Set(one.tokens.map(({ tokenMint }) => tokenMint));
  return other.tokens.some(({ tokenMint }) => mints.has(tokenMint));
}
