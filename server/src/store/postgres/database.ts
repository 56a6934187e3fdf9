import { sql } from "drizzle-orm";
import type pg from "pg";
import { type Clock, sleep } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Database, Locks, Session, Transaction } from "../database.ts";
import {
  CommitUnknown,
  ConnectionLost,
  isLost,
  isReadOnly,
  isTransient,
  SQLSTATE,
  sqlStateOf,
  toStoreError,
  violates,
} from "./faults.ts";
import type { Primary } from "./primary.ts";
import { lockAll, lockKey, Statements, sessionOn } from "./session.ts";

const ATTEMPTS = 6;
/** The longest pause before the second attempt; it doubles with each attempt. */
const FIRST_PAUSE_MS = 10;

/** How long the disk counts as full after a write that found it full. */
const PROBLEM_MS = 10_000;

/**
 * After a broken connection, a `read` is repeated, a `transaction` unless it broke in the commit,
 * and a `write` only if it was not sent. All are repeated if PostgreSQL undid them for another one.
 */
type Kind = "read" | "write" | "transaction";

/** Every call rejects with the errors of `toStoreError`. */
export class PostgresDatabase implements Database {
  readonly isShared = true;
  readonly violates = violates;
  readonly #statements: Statements;
  readonly #sessions = new WeakMap<pg.PoolClient, Transaction>();
  #problem: { readonly error: unknown; readonly at: number } | null = null;

  constructor(
    private readonly primary: Primary,
    time: string,
    private readonly clock: Pick<Clock, "after" | "elapsed">,
  ) {
    this.#statements = new Statements(time);
  }

  isCommitUnknown(error: unknown): boolean {
    return error instanceof ServiceError && error.cause instanceof CommitUnknown;
  }

  /** Returns the error of a recent write on a full disk: most statements still succeed there. */
  get writeProblem(): unknown {
    if (this.#problem === null || this.clock.elapsed() - this.#problem.at > PROBLEM_MS) return null;
    return this.#problem.error;
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat("read", work);
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat("write", work);
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    locks: Locks | readonly string[] = [],
  ): Promise<T> {
    // Sent in one message with its locks. The isolation overrides the database's default: a
    // transaction that waits for a lock must then see what the lock's holder has committed.
    const begin = sql.raw(`begin isolation level read committed; ${lockText(locks)}`);
    return this.#repeat("transaction", async (session) => {
      await session.run(begin);
      let result: T;
      try {
        result = await work(session);
      } catch (error) {
        // If this fails too, the connection is dropped, and the transaction with it.
        if (!isLost(error)) await session.run(sql`rollback`);
        throw error;
      }
      await session.run(sql`commit`).catch((error: unknown) => {
        throw isLost(error) ? new CommitUnknown(error, true) : error;
      });
      return result;
    });
  }

  async #repeat<T>(kind: Kind, work: (session: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !mayRepeat(kind, error, attempt)) throw toStoreError(error);
        await sleep(this.clock, Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
      }
    }
  }

  async #once<T>(work: (session: Transaction) => Promise<T>): Promise<T> {
    const { client, pool } = await this.primary.checkOut().catch((error: unknown) => {
      // `checkOut` has already tried all hosts.
      throw toStoreError(new ConnectionLost(error, false));
    });
    const session = this.#sessions.get(client) ?? sessionOn(client, this.#statements);
    this.#sessions.set(client, session);
    try {
      const result = await work(session);
      client.release();
      return result;
    } catch (error) {
      const lost = isLost(error);
      if (lost || isReadOnly(error)) this.primary.suspect(pool);
      if (sqlStateOf(error) === SQLSTATE.diskFull)
        this.#problem = { error, at: this.clock.elapsed() };
      client.release(lost);
      throw error;
    }
  }
}

function lockText(locks: Locks | readonly string[]): string {
  if (!("names" in locks)) return lockAll(locks);
  const { names, first, isFirstShared = false } = locks;
  const take = isFirstShared ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
  return `${first === undefined ? "" : `select ${take}(${lockKey(first)});`}${lockAll(names)}`;
}

function mayRepeat(kind: Kind, error: unknown, attempt: number): boolean {
  if (isTransient(error)) return true;
  // Retry a broken connection only once.
  if (!isLost(error) || error instanceof CommitUnknown || attempt > 1) return false;
  return kind !== "write" || (error instanceof ConnectionLost && !error.wasSent);
}
