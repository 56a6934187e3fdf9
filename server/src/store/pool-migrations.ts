import { sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { HOUR_MS, type LeaseTerms } from "../base/clock.ts";
import { LeaseLostError, type SignedTransaction, type WalletJournal } from "../domain/journal.ts";
import type { TokenRef } from "../domain/token.ts";
import {
  type Database,
  type Dialect,
  freeLeases,
  held,
  isFree,
  isOver,
  NO_LEASE,
  rowOf,
  rowsOf,
  signedOf,
} from "./database.ts";
import { poolMigrations, tokens } from "./schema.ts";
import { Spending } from "./spending.ts";

export interface LeasedMigration extends TokenRef {
  /** How often it was leased, including this time. */
  readonly attempts: number;
  /** The signed transaction without a known outcome; null if there is none. */
  readonly latest: SignedTransaction | null;
}

/** A lease lets one server work on a token. Every write except the first checks it. */
export class PoolMigrations extends Spending {
  constructor(db: Database) {
    super(db, "poolMigrations");
  }

  /** Returns null if the token is unknown, done, not due yet, or held by another server. */
  lease(tokenMint: string, lease: LeaseTerms): Promise<LeasedMigration | null> {
    return this.db.transaction(async (transaction) => {
      const { orm, now } = transaction;
      const token = await rowOf(transaction, tokens, sql`token_mint = ${tokenMint}`);
      if (!token) return null;
      await orm.insert(poolMigrations).values({ tokenMint, runAt: now }).onConflictDoNothing();
      // Put off by an hour at most, by the clock of a server, which may be ahead.
      const isDue = sql`token_mint = ${tokenMint} and status <> 'done'
        and ${isOver(transaction, sql`run_at`, 2 * HOUR_MS)} and ${isFree(transaction)}`;
      const [row] = await orm
        .update(poolMigrations)
        .set({ ...held(transaction, lease), attempts: sql`${poolMigrations.attempts} + 1` })
        .where(isDue)
        .returning();
      if (!row) return null;
      const { attempts } = row;
      return { tokenMint, poolAddress: token.poolAddress, attempts, latest: signedOf(row) };
    });
  }

  renew(tokenMint: string, lease: LeaseTerms): Promise<boolean> {
    return this.#update(tokenMint, lease.id, (dialect) => held(dialect, lease));
  }

  async record(tokenMint: string, leaseId: string, attempt: SignedTransaction): Promise<null> {
    const transaction = Buffer.from(attempt.transaction);
    const submitted = { ...attempt, transaction, status: "submitted" } as const;
    if (!(await this.#update(tokenMint, leaseId, () => submitted))) throw new LeaseLostError();
    return null;
  }

  /** Removes the signed transaction, which has failed or expired. */
  async discard(tokenMint: string, leaseId: string): Promise<void> {
    const unsigned = { signature: null, transaction: null, lastValidBlockHeight: null };
    const set = { status: "pending", ...unsigned, tipLamports: null } as const;
    await this.#update(tokenMint, leaseId, () => set);
  }

  async release(tokenMint: string, leaseId: string, runAt: number): Promise<void> {
    await this.#update(tokenMint, leaseId, () => ({ runAt, ...NO_LEASE }));
  }

  /** Marks the pool as migrated. The reserved lamports then count as spent. */
  async finish(tokenMint: string, leaseId: string): Promise<void> {
    const done = { status: "done", transaction: null, reservedDay: null } as const;
    await this.#update(tokenMint, leaseId, () => ({ ...done, ...NO_LEASE }));
  }

  async open(): Promise<string[]> {
    const rows = await this.db.read((session) =>
      rowsOf(session, poolMigrations, sql`status <> 'done' and ${isFree(session)}`),
    );
    return rows.map(({ tokenMint }) => tokenMint);
  }

  recover(): Promise<void> {
    return freeLeases(this.db, poolMigrations);
  }

  async #update(
    tokenMint: string,
    leaseId: string,
    change: (dialect: Dialect) => SQLiteUpdateSetSource<typeof poolMigrations>,
  ): Promise<boolean> {
    // In a transaction, so that it is repeated if the connection breaks before the commit.
    const changed = await this.db.transaction((transaction) =>
      transaction.orm
        .update(poolMigrations)
        .set(change(transaction))
        .where(sql`token_mint = ${tokenMint} and lease_id = ${leaseId} and status <> 'done'`)
        .returning(),
    );
    return changed.length > 0;
  }
}

export function migrationJournal(
  store: PoolMigrations,
  { tokenMint, latest }: LeasedMigration,
  leaseId: string,
): WalletJournal<SignedTransaction> {
  return {
    latest,
    reserve: (cost) => store.reserve(tokenMint, leaseId, cost),
    async settle(spent) {
      await store.settle(tokenMint, leaseId, spent);
      await store.discard(tokenMint, leaseId);
    },
    record: (attempt) => store.record(tokenMint, leaseId, attempt),
  };
}
