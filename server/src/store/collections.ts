import { sql } from "drizzle-orm";
import {
  type CollectionEnd,
  type CollectionLedger,
  LeaseLostError,
  type SignedCollection,
} from "../domain/journal.ts";
import { type Database, rowsOf } from "./database.ts";
import { collections } from "./schema.ts";

export type CollectionRow = Readonly<typeof collections.$inferSelect>;

const IS_SUBMITTED = sql`status = 'submitted'`;

/** A token has at most one submitted collection, across all processes. Final ones are kept. */
export class Collections implements CollectionLedger {
  constructor(private readonly db: Database) {}

  /** @throws {LeaseLostError} if another submitted collection has one of the tokens */
  record(collection: SignedCollection): Promise<null> {
    const mints = new Set(collection.tokens.map(({ tokenMint }) => tokenMint));
    const transaction = Buffer.from(collection.transaction);
    return this.db.transaction(
      async (session) => {
        const submitted = await rowsOf(session, collections, IS_SUBMITTED);
        const taken = submitted.flatMap(({ tokens }) => tokens);
        if (taken.some(({ tokenMint }) => mints.has(tokenMint))) throw new LeaseLostError();
        await session.orm.insert(collections).values({ ...collection, transaction });
        return null;
      },
      ["collections"],
    );
  }

  unsettled(): Promise<CollectionRow[]> {
    return this.db.read((session) =>
      rowsOf(session, collections, sql`${IS_SUBMITTED} order by id`),
    );
  }

  async end(signature: string, { at, ...end }: CollectionEnd): Promise<void> {
    await this.db.transaction(({ orm }) =>
      orm
        .update(collections)
        .set({ ...end, settledAt: at, transaction: null })
        .where(sql`signature = ${signature} and ${IS_SUBMITTED}`),
    );
  }

  all(): Promise<CollectionRow[]> {
    return this.db.read((session) => rowsOf(session, collections, sql`true order by id`));
  }
}
