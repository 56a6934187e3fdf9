import { eq, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { SignedTransaction } from "../../domain/journal.ts";
import type { LaunchCost } from "../../domain/reservation.ts";
import { LONGEST_LEASE_MS } from "../claims.ts";
import type {
  LeasedMigration,
  MigrationLease,
  PoolMigrationStore,
} from "../pool-migration-store.ts";
import type { ReserveOutcome } from "../spending.ts";
import type { PostgresDatabase } from "./database.ts";
import { poolMigrations, tokens } from "./schema.ts";
import { Spending } from "./spending.ts";

const NO_LEASE = { leaseId: null, leaseUntil: null };
const NO_ATTEMPT = { signature: null, transaction: null, lastValidBlockHeight: null };

/** The migrations of pools. */
export class PostgresPoolMigrationStore implements PoolMigrationStore {
  readonly #db: PostgresDatabase;
  readonly #time;
  readonly #spending: Spending;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    this.#time = sql.raw(time);
    this.#spending = new Spending(db, time, "pool_migrations");
  }

  async lease(tokenMint: string, lease: MigrationLease): Promise<LeasedMigration | null> {
    return await this.#db.transaction(async ({ orm }) => {
      const [token] = await orm.select().from(tokens).where(eq(tokens.tokenMint, tokenMint));
      if (!token) return null;
      await orm
        .insert(poolMigrations)
        .values({ tokenMint, runAt: sql`${this.#time}` })
        .onConflictDoNothing();
      const [row] = await orm
        .update(poolMigrations)
        .set({ ...this.#held(lease), attempts: sql`${poolMigrations.attempts} + 1` })
        .where(
          sql`token_mint = ${tokenMint} and status <> 'done' and run_at <= ${this.#time}
            and ${this.#isFree()}`,
        )
        .returning();
      if (!row) return null;
      const { attempts } = row;
      return { tokenMint, poolAddress: token.poolAddress, attempts, latest: attemptOf(row) };
    });
  }

  async renew(tokenMint: string, lease: MigrationLease): Promise<boolean> {
    return await this.#update(tokenMint, lease.id, this.#held(lease));
  }

  async reserve(tokenMint: string, leaseId: string, cost: LaunchCost): Promise<ReserveOutcome> {
    return await this.#spending.reserve(tokenMint, leaseId, cost);
  }

  async settle(tokenMint: string, leaseId: string, spent: bigint): Promise<void> {
    await this.#spending.settle(tokenMint, leaseId, spent);
  }

  async record(tokenMint: string, leaseId: string, attempt: SignedTransaction): Promise<boolean> {
    const transaction = Buffer.from(attempt.transaction);
    return await this.#update(tokenMint, leaseId, { ...attempt, transaction, status: "submitted" });
  }

  async discard(tokenMint: string, leaseId: string): Promise<void> {
    await this.#update(tokenMint, leaseId, { status: "pending", ...NO_ATTEMPT });
  }

  async release(tokenMint: string, leaseId: string, runAt: number, error: string | null) {
    await this.#update(tokenMint, leaseId, { runAt, error, ...NO_LEASE });
  }

  async finish(tokenMint: string, leaseId: string): Promise<void> {
    await this.#update(tokenMint, leaseId, {
      status: "done",
      doneAt: sql`${this.#time}`,
      error: null,
      transaction: null,
      reservedDay: null,
      ...NO_LEASE,
    });
  }

  async open(): Promise<string[]> {
    const rows = await this.#db.read(({ orm }) =>
      orm
        .select({ tokenMint: poolMigrations.tokenMint })
        .from(poolMigrations)
        .where(sql`status <> 'done' and ${this.#isFree()}`),
    );
    return rows.map(({ tokenMint }) => tokenMint);
  }

  /** Nothing: other servers hold their leases, and those of a server that died run out. */
  async recover(): Promise<void> {}

  /** Changes a row whose lease is held. @returns false if the lease is lost */
  async #update(
    tokenMint: string,
    leaseId: string,
    change: SQLiteUpdateSetSource<typeof poolMigrations>,
  ): Promise<boolean> {
    // In a transaction, so that it is repeated if the connection breaks before the commit.
    const changed = await this.#db.transaction(({ orm }) =>
      orm
        .update(poolMigrations)
        .set(change)
        .where(sql`token_mint = ${tokenMint} and lease_id = ${leaseId} and status <> 'done'`)
        .returning({ tokenMint: poolMigrations.tokenMint }),
    );
    return changed.length > 0;
  }

  #held({ id, ms }: MigrationLease) {
    return { leaseId: id, leaseUntil: sql`${this.#time} + ${ms}::bigint` };
  }

  #isFree() {
    return sql`(lease_id is null or lease_until <= ${this.#time}
      or lease_until > ${this.#time} + ${LONGEST_LEASE_MS}::bigint)`;
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
