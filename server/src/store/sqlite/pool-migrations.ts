import { eq, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
import type { SignedTransaction } from "../../domain/journal.ts";
import type { LaunchCost } from "../../domain/reservation.ts";
import { LONGEST_LEASE_MS } from "../claims.ts";
import type {
  LeasedMigration,
  MigrationLease,
  PoolMigrationStore,
} from "../pool-migration-store.ts";
import { poolMigrations, tokens } from "../schema.ts";
import type { ReserveOutcome } from "../spending.ts";
import type { Database } from "./database.ts";
import { Spending } from "./spending.ts";

const NO_LEASE = { leaseId: null, leaseUntil: null };
const NO_ATTEMPT = { signature: null, transaction: null, lastValidBlockHeight: null };

/** The migrations of pools. Each call is one synchronous transaction. */
export class SqlitePoolMigrationStore implements PoolMigrationStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #spending: Spending;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#spending = new Spending(db, clock, "pool_migrations");
  }

  async lease(tokenMint: string, { id, ms }: MigrationLease): Promise<LeasedMigration | null> {
    const now = this.#clock.now();
    return this.#db.transaction(
      (tx) => {
        const token = tx.select().from(tokens).where(eq(tokens.tokenMint, tokenMint)).get();
        if (!token) return null;
        tx.insert(poolMigrations).values({ tokenMint, runAt: now }).onConflictDoNothing().run();
        const row = tx
          .update(poolMigrations)
          .set({ leaseId: id, leaseUntil: now + ms, attempts: sql`attempts + 1` })
          .where(
            sql`token_mint = ${tokenMint} and status <> 'done' and run_at <= ${now} and ${isFree(now)}`,
          )
          .returning()
          .get();
        if (!row) return null;
        const { attempts } = row;
        return { tokenMint, poolAddress: token.poolAddress, attempts, latest: attemptOf(row) };
      },
      { behavior: "immediate" },
    );
  }

  async renew(tokenMint: string, { id, ms }: MigrationLease): Promise<boolean> {
    return this.#update(tokenMint, id, { leaseUntil: this.#clock.now() + ms });
  }

  async reserve(tokenMint: string, leaseId: string, cost: LaunchCost): Promise<ReserveOutcome> {
    return this.#spending.reserve(tokenMint, leaseId, cost);
  }

  async settle(tokenMint: string, leaseId: string, spent: bigint): Promise<void> {
    this.#spending.settle(tokenMint, leaseId, spent);
  }

  async record(tokenMint: string, leaseId: string, attempt: SignedTransaction): Promise<boolean> {
    const transaction = Buffer.from(attempt.transaction);
    return this.#update(tokenMint, leaseId, { ...attempt, transaction, status: "submitted" });
  }

  async discard(tokenMint: string, leaseId: string): Promise<void> {
    this.#update(tokenMint, leaseId, { status: "pending", ...NO_ATTEMPT });
  }

  async release(tokenMint: string, leaseId: string, runAt: number, error: string | null) {
    this.#update(tokenMint, leaseId, { runAt, error, ...NO_LEASE });
  }

  async finish(tokenMint: string, leaseId: string): Promise<void> {
    this.#update(tokenMint, leaseId, {
      status: "done",
      doneAt: this.#clock.now(),
      error: null,
      transaction: null,
      reservedDay: null,
      ...NO_LEASE,
    });
  }

  async open(): Promise<string[]> {
    return this.#db
      .select({ tokenMint: poolMigrations.tokenMint })
      .from(poolMigrations)
      .where(sql`status <> 'done' and ${isFree(this.#clock.now())}`)
      .all()
      .map(({ tokenMint }) => tokenMint);
  }

  async recover(): Promise<void> {
    this.#db
      .update(poolMigrations)
      .set(NO_LEASE)
      .where(sql`status <> 'done' and lease_id is not null`)
      .run();
  }

  /** Changes a row whose lease is held. @returns false if the lease is lost */
  #update(
    tokenMint: string,
    leaseId: string,
    change: Partial<typeof poolMigrations.$inferInsert>,
  ): boolean {
    const changed = this.#db
      .update(poolMigrations)
      .set(change)
      .where(sql`token_mint = ${tokenMint} and lease_id = ${leaseId} and status <> 'done'`)
      .returning({ tokenMint: poolMigrations.tokenMint })
      .get();
    return changed !== undefined;
  }
}

function attemptOf({
  signature,
  transaction,
  lastValidBlockHeight,
}: typeof poolMigrations.$inferSelect): SignedTransaction | null {
  if (signature === null || transaction === null || lastValidBlockHeight === null) return null;
  return { signature, transaction, lastValidBlockHeight };
}

function isFree(now: number): SQL {
  return sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now + LONGEST_LEASE_MS})`;
}
