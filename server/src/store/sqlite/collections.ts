import { and, asc, eq, gt } from "drizzle-orm";
import type { CollectionEnd, SignedCollection } from "../../domain/collection.ts";
import { type CollectionRow, type CollectionStore, overlap } from "../collection-store.ts";
import { collections } from "../schema.ts";
import type { Database } from "./database.ts";

/** The ledger of collections. Each call is one synchronous transaction. */
export class SqliteCollectionStore implements CollectionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async record(collection: SignedCollection): Promise<"recorded" | "in_flight"> {
    return this.#db.transaction(
      (tx) => {
        const submitted = tx
          .select({ tokens: collections.tokens })
          .from(collections)
          .where(eq(collections.status, "submitted"))
          .all();
        if (submitted.some((other) => overlap(other, collection))) return "in_flight";
        const transaction = Buffer.from(collection.transaction);
        tx.insert(collections)
          .values({ ...collection, transaction })
          .run();
        return "recorded";
      },
      { behavior: "immediate" },
    );
  }

  async unsettled(): Promise<CollectionRow[]> {
    return this.#db
      .select()
      .from(collections)
      .where(eq(collections.status, "submitted"))
      .orderBy(asc(collections.id))
      .all();
  }

  async end(signature: string, { at, ...end }: CollectionEnd): Promise<void> {
    this.#db
      .update(collections)
      .set({ ...end, settledAt: at, transaction: null })
      .where(and(eq(collections.signature, signature), eq(collections.status, "submitted")))
      .run();
  }

  async after(after: number, limit: number): Promise<CollectionRow[]> {
    return this.#db
      .select()
      .from(collections)
      .where(gt(collections.id, after))
      .orderBy(asc(collections.id))
      .limit(limit)
      .all();
  }
}
