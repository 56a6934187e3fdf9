import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import {
  binder,
  type Dialect,
  type Session,
  type Statement,
  type Transaction,
  type Values,
} from "../database.ts";
import { guardedQuery, types } from "./connection.ts";

const compiler = new PgDialect();

interface Hot {
  /** The same on every connection. */
  readonly name: string;
  readonly text: string;
  readonly bind: ReturnType<typeof binder>;
}

export class Statements {
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
      least: sql.raw("least"),
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

export function sessionOn(client: pg.PoolClient, statements: Statements): Transaction {
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
    lock: async (name) => void (await query(sql.raw(lockAll([name])))),
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

/** Milliseconds since the Unix epoch, by the database's clock. */
export const DATABASE_TIME = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Follows this machine's time since the start, which cannot be set. Each reading corrects it. */
export class ServerTime implements Clock {
  readonly after: Clock["after"];
  readonly elapsed: Clock["elapsed"];
  #offset: number | null = null;

  constructor(clock: Clock = systemClock) {
    this.after = clock.after.bind(clock);
    this.elapsed = clock.elapsed.bind(clock);
  }

  now(): number {
    if (this.#offset === null) throw new Error("the database's time was not measured yet");
    return Math.round(this.elapsed() + this.#offset);
  }

  /**
   * Corrects the time only as far as the reading is certain. The database read its clock between
   * `askedAt` and `answeredAt`, which are times of `elapsed()`.
   */
  correct(databaseTime: number, askedAt: number, answeredAt: number): void {
    // All three are cut to whole milliseconds.
    const earliest = databaseTime - answeredAt - 1;
    const latest = databaseTime + 1 - askedAt;
    const offset = this.#offset ?? (earliest + latest) / 2;
    this.#offset = Math.min(Math.max(offset, earliest), latest);
  }
}
