import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import { type Clock, sleep } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import {
  binder,
  type Database,
  type Dialect,
  type Session,
  type Statement,
  type Transaction,
  type Values,
} from "../database.ts";
import { guardedQuery, types } from "./connection.ts";
import {
  CommitUnknown,
  ConnectionLost,
  isDiskFull,
  isLost,
  isReadOnly,
  isTransient,
  toStoreError,
  violates,
} from "./faults.ts";
import type { Primary } from "./primary.ts";

const ATTEMPTS = 6;
/** The longest pause after attempt n is this × 2ⁿ: 20 ms, 40 ms, … */
const FIRST_PAUSE_MS = 10;

/**
 * If the connection breaks, a `read`, or a `transaction` before its commit, is retried once, a
 * `write` never. What PostgreSQL rolled back for another transaction, or refused as read-only, is
 * retried.
 */
type Kind = "read" | "write" | "transaction";

/** Every call rejects with what `toStoreError` returns. */
export class PostgresDatabase implements Database {
  readonly isShared = true;
  readonly violates = violates;
  /** When a write last found the disk full. Others may still succeed, so it counts for a while. */
  fullAt = Number.NEGATIVE_INFINITY;
  readonly #statements: Statements;
  readonly #sessions = new WeakMap<pg.PoolClient, Transaction>();

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

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat("read", work);
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat("write", work);
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    locks: readonly string[] = [],
  ): Promise<T> {
    // Sent in one message with its locks. The isolation overrides the database's default: a
    // transaction that waits for a lock must then see what the lock's holder has committed.
    const begin = sql.raw(`begin isolation level read committed; ${lockAll(locks)}`);
    return this.#repeat("transaction", async (session) => {
      let result: T;
      try {
        await session.run(begin);
        result = await work(session);
      } catch (error) {
        // If this fails too, the connection is dropped, and the transaction with it.
        if (!isLost(error)) await session.run(sql`rollback`);
        throw error;
      }
      await session.run(sql`commit`).catch((error: unknown) => {
        throw isLost(error) ? new CommitUnknown(error) : error;
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
      throw toStoreError(new ConnectionLost(error));
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
      if (isDiskFull(error)) this.fullAt = this.clock.elapsed();
      client.release(lost);
      throw error;
    }
  }
}

function mayRepeat(kind: Kind, error: unknown, attempt: number): boolean {
  if (isTransient(error)) return true;
  const isOpen = isLost(error) && !(error instanceof CommitUnknown);
  return isOpen && attempt === 1 && kind !== "write";
}

const compiler = new PgDialect();

interface Hot {
  /** The same on every connection. */
  readonly name: string;
  readonly text: string;
  readonly bind: ReturnType<typeof binder>;
}

class Statements {
  readonly dialect: Dialect;
  readonly #hot = new Map<Statement<unknown>, Hot>();

  /** @param time SQL for the database's time in milliseconds */
  constructor(time: string) {
    this.dialect = {
      engine: "postgres",
      now: sql.raw(time) as SQL<number>,
      today: sql.raw(
        `to_char(to_timestamp(${time} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`,
      ) as SQL<string>,
      greatest: sql.raw("greatest"),
      json: {
        object: sql.raw("json_build_object"),
        list: sql.raw("json_agg"),
        each: sql.raw("jsonb_array_elements"),
      },
      locking: sql.raw,
    };
  }

  compile(statement: Statement<unknown>): Hot {
    const known = this.#hot.get(statement);
    if (known) return known;
    const { sql: text, params } = compiler.sqlToQuery(statement(this.dialect));
    const hot = { name: `s${this.#hot.size}`, text, bind: binder(params) };
    this.#hot.set(statement, hot);
    return hot;
  }
}

function sessionOn(client: pg.PoolClient, statements: Statements): Transaction {
  const query = (query: SQL | Statement<unknown>, values: Values = {}): Promise<pg.QueryResult> => {
    if (typeof query !== "function") {
      const { sql: text, params } = compiler.sqlToQuery(query);
      return guardedQuery(client, { text, values: params });
    }
    const { name, text, bind } = statements.compile(query);
    const found = bind((wanted) => {
      if (values[wanted] === undefined) throw new Error(`the statement has no value for ${wanted}`);
      return values[wanted];
    });
    return guardedQuery(client, { name, text, values: found });
  };
  // drizzle uses only a client's `query`, and would parse numbers in its own way.
  const guarded = {
    query: (query: pg.QueryArrayConfig, values: unknown[] = []) =>
      guardedQuery(client, { ...query, types, values }),
  };
  return {
    ...statements.dialect,
    orm: drizzle(guarded as unknown as pg.Client) as unknown as Session["orm"],
    all: async (statement, values) => (await query(statement, values)).rows,
    get: async (statement, values) => (await query(statement, values)).rows[0] ?? null,
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
  };
}

/** Returns an advisory lock's key, a `bigint` in decimal: the same in all servers and versions. */
export function lockKey(name: string): string {
  return createHash("sha256").update(`tokend ${name}`).digest().readBigInt64BE().toString();
}

/** Returns the SQL that takes locks until the transaction ends, always in the same order. */
export function lockAll(names: readonly string[]): string {
  const keys = Array.from(new Set(names), lockKey).sort();
  if (keys.length === 0) return "";
  return `select count(pg_advisory_xact_lock(key)) from unnest('{${keys.join()}}'::bigint[]) as key;`;
}
