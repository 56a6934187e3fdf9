import { and, eq, gt, type SQL } from "drizzle-orm";
import type { CollectionEnd, SignedCollection } from "../domain/collection.ts";
import type { Database } from "./database.ts";
import { collections } from "./schema.ts";

export type CollectionRow = Readonly<typeof collections.$inferSelect>;

const IS_SUBMITTED = eq(collections.status, "submitted");

/**
 * The ledger of what the launch wallet collected. Several processes may write it at the same time: a
 * token is in one submitted collection at most, and a final one never changes.
 */
export class Collections {
  constructor(private readonly db: Database) {}

  /**
   * Stores a signed collection; called before it is first sent.
   *
   * @returns `in_flight` if another collection of one of its tokens is submitted; then nothing is stored
   */
  record(collection: SignedCollection): Promise<"recorded" | "in_flight"> {
    const mints = new Set(collection.tokens.map(({ tokenMint }) => tokenMint));
    const transaction = Buffer.from(collection.transaction);
    return this.db.transaction(
      async ({ orm }) => {
        const submitted = await orm.select().from(collections).where(IS_SUBMITTED);
        const taken = submitted.flatMap(({ tokens }) => tokens);
        if (taken.some(({ tokenMint }) => mints.has(tokenMint))) return "in_flight";
        await orm.insert(collections).values({ ...collection, transaction });
        return "recorded";
      },
      ["collections"],
    );
  }

  /** The submitted collections in order: their outcome is unknown. */
  unsettled(): Promise<CollectionRow[]> {
    return this.#select(IS_SUBMITTED);
  }

  /** Ends a submitted collection. Does nothing if it is final. */
  async end(signature: string, { at, ...end }: CollectionEnd): Promise<void> {
    await this.db.transaction(({ orm }) =>
      orm
        .update(collections)
        .set({ ...end, settledAt: at, transaction: null })
        .where(and(eq(collections.signature, signature), IS_SUBMITTED)),
    );
  }

  /** At most `limit` collections with ids above `after`, in order. */
  after(after: number, limit: number): Promise<CollectionRow[]> {
    return this.#select(gt(collections.id, after), limit);
  }

  #select(which: SQL, limit = Number.MAX_SAFE_INTEGER): Promise<CollectionRow[]> {
    return this.db.read(({ orm }) =>
      orm.select().from(collections).where(which).orderBy(collections.id).limit(limit),
    );
  }
}
