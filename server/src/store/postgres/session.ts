import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import {
  binder,
  type Dialect,
  type Session,
  type Statement,
  type Transaction,
  type Values,
} from "../database.ts";
import { guardedQuery, types } from "./connection.ts";
import { lockAll } from "./locks.ts";
import { utcDayOf } from "./server-time.ts";

const compiler = new PgDialect();

interface Hot {
  /** The same on every connection. */
  readonly name: string;
  readonly text: string;
  readonly bind: ReturnType<typeof binder>;
}

/** The hot statements of a database. */
export class Statements {
  readonly dialect: Dialect;
  readonly #hot = new Map<Statement<unknown>, Hot>();

  /** @param time SQL for the database's time in milliseconds */
  constructor(time: string) {
    this.dialect = {
      engine: "postgres",
      now: sql.raw(time) as SQL<number>,
      today: sql.raw(utcDayOf(time)) as SQL<string>,
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

/** A connection while it is in use. */
export class PostgresSession implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #statements: Statements;
  readonly engine = "postgres";
  readonly now;
  readonly today;
  readonly greatest;
  readonly least;
  readonly json;
  readonly locking;
  readonly orm: Session["orm"];

  constructor(client: pg.PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
    const { now, today, greatest, least, json, locking } = statements.dialect;
    this.now = now;
    this.today = today;
    this.greatest = greatest;
    this.least = least;
    this.json = json;
    this.locking = locking;
    // drizzle uses nothing of a client but `query`, and reads numbers in its own way.
    const guarded = {
      query: (query: pg.QueryArrayConfig, values: unknown[] = []) =>
        guardedQuery(client, { ...query, types, values }),
    };
    this.orm = drizzle(guarded as unknown as pg.Client) as unknown as Session["orm"];
  }

  async all<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row[]> {
    return (await this.#query(query, values)).rows;
  }

  async get<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row | null> {
    return (await this.#query(query, values)).rows[0] ?? null;
  }

  /** Also runs statements of a text without values, all in one message. */
  async run(query: SQL | Statement<unknown> | string, values?: Values): Promise<number> {
    if (typeof query !== "string") return (await this.#query(query, values)).rowCount ?? 0;
    await guardedQuery(this.#client, { text: query });
    return 0;
  }

  async lock(...names: readonly string[]): Promise<void> {
    await this.run(lockAll(names));
  }

  #query(query: SQL | Statement<unknown>, values: Values = {}): Promise<pg.QueryResult> {
    if (typeof query !== "function") {
      const { sql: text, params } = compiler.sqlToQuery(query);
      return guardedQuery(this.#client, { text, values: params });
    }
    const { name, text, bind } = this.#statements.compile(query);
    const found = bind((wanted) => {
      if (values[wanted] === undefined) throw new Error(`the statement has no value for ${wanted}`);
      return values[wanted];
    });
    return guardedQuery(this.#client, { name, text, values: found });
  }
}
