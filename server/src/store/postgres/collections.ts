import { and, asc, eq, gt } from "drizzle-orm";
import type { CollectionEnd, SignedCollection } from "../../domain/collection.ts";
import { type CollectionRow, type CollectionStore, overlap } from "../collection-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { lockAll } from "./locks.ts";
import { collections } from "./schema.ts";

/** Taken by all who store a collection, before they read which ones are submitted. */
const LOCK = lockAll(["collections"]);

/** The ledger of collections. */
export class PostgresCollectionStore implements CollectionStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async record(collection: SignedCollection): Promise<"recorded" | "in_flight"> {
    return await this.#db.transaction(async ({ orm }) => {
      const submitted = await orm
        .select({ tokens: collections.tokens })
        .from(collections)
        .where(eq(collections.status, "submitted"));
      if (submitted.some((other) => overlap(other, collection))) return "in_flight";
      const transaction = Buffer.from(collection.transaction);
      await orm.insert(collections).values({ ...collection, transaction });
      return "recorded";
    }, LOCK);
  }

  async unsettled(): Promise<CollectionRow[]> {
    return await this.#db.read(({ orm }) =>
      orm
        .select()
        .from(collections)
        .where(eq(collections.status, "submitted"))
        .orderBy(asc(collections.id)),
    );
  }

  async end(signature: string, { at, ...end }: CollectionEnd): Promise<void> {
    await this.#db.transaction(({ orm }) =>
      orm
        .update(collections)
        .set({ ...end, settledAt: at, transaction: null })
        .where(and(eq(collections.signature, signature), eq(collections.status, "submitted"))),
    );
  }

  async after(after: number, limit: number): Promise<CollectionRow[]> {
    return await this.#db.read(({ orm }) =>
      orm
        .select()
        .from(collections)
        .where(gt(collections.id, after))
        .orderBy(asc(collections.id))
        .limit(limit),
    );
  }
}
