import type { Database as Client } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { type Clock, utcDay } from "../../base/clock.ts";
import {
  binder,
  type Database,
  type Dialect,
  type Session,
  type Statement,
  type Transaction,
  type Values,
} from "../database.ts";

const compiler = new SQLiteSyncDialect();

/** The most statements that a connection keeps prepared, not counting hot ones. */
const MAX_PREPARED = 1_000;

const WORDS: Omit<Dialect, "now" | "today"> = {
  engine: "sqlite",
  greatest: sql.raw("max"),
  json: {
    object: sql.raw("json_object"),
    list: sql.raw("json_group_array"),
    each: sql.raw("json_each"),
  },
  locking: () => sql.empty(),
};

/** In a hot statement the time is a placeholder, which the session fills in. */
const DIALECT: Dialect = {
  ...WORDS,
  now: sql`${sql.placeholder("now")}`,
  today: sql`${sql.placeholder("today")}`,
};

const BEGIN: Statement<never> = () => sql`begin immediate`;
const BEGIN_READS: Statement<never> = () => sql`begin`;
const COMMIT: Statement<never> = () => sql`commit`;

interface Prepared {
  readonly statement: ReturnType<Client["prepare"]>;
  readonly bind: ReturnType<typeof binder>;
}
type Parameter = Parameters<Prepared["statement"]["all"]>[number];

class Connection {
  readonly #prepared = new Map<string | Statement<unknown>, Prepared>();

  constructor(readonly client: Client) {}

  prepare(query: string | Statement<unknown>): Prepared {
    const known = this.#prepared.get(query);
    if (known) return known;
    const isHot = typeof query === "function";
    const { sql: text, params } = isHot
      ? compiler.sqlToQuery(query(DIALECT))
      : { sql: query, params: [] };
    const prepared = { statement: this.client.prepare(text), bind: binder(params) };
    if (isHot || this.#prepared.size < MAX_PREPARED) this.#prepared.set(query, prepared);
    return prepared;
  }

  /** Also finalizes prepared statements, which would keep working on a closed connection. */
  close(): void {
    for (const { statement } of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
    this.client.close();
  }
}

function sessionOn(clock: Clock, connection: Connection): Transaction {
  const find = (name: string, values: Values) => {
    const value = values[name];
    if (value !== undefined) return value;
    if (name === "now") return clock.now();
    if (name === "today") return utcDay(clock.now());
    throw new Error(`the statement has no value for ${name}`);
  };
  const bind = (query: SQL | Statement<unknown>, values: Values = {}) => {
    if (typeof query === "function") {
      const { statement, bind } = connection.prepare(query);
      return { statement, params: bind((name) => find(name, values)) as Parameter[] };
    }
    const { sql: text, params } = compiler.sqlToQuery(query);
    return { statement: connection.prepare(text).statement, params: params as Parameter[] };
  };
  let orm: Session["orm"] | undefined;
  return {
    ...WORDS,
    get now() {
      return sql<number>`${clock.now()}`;
    },
    get today() {
      return sql<string>`${utcDay(clock.now())}`;
    },
    get orm() {
      // drizzle uses only a client's `prepare`.
      const client = { prepare: (text: string) => connection.prepare(text).statement };
      orm ??= drizzle({ client: client as Client }) as unknown as Session["orm"];
      return orm;
    },
    async all<Row>(query: SQL<Row> | Statement<Row>, values?: Values) {
      const { statement, params } = bind(query, values);
      return statement.all(...params) as Row[];
    },
    async get<Row>(query: SQL<Row> | Statement<Row>, values?: Values) {
      const { statement, params } = bind(query, values);
      return statement.get(...params) as Row | null;
    },
    async run(query, values) {
      const { statement, params } = bind(query, values);
      return statement.run(...params).changes;
    },
  };
}

/** When the last use of each file of this process ends. */
const lastUses = new Map<string, Promise<void>>();

/** The database of one server. Its users take turns on one connection, whose pages stay in memory. */
export class SqliteDatabase implements Database {
  readonly isShared = false;
  readonly #connection: Connection;
  readonly #session: Transaction;
  /** Whether the shared transaction of the reads is open. */
  #isReading = false;

  /** @param onCommit called after each write */
  constructor(
    client: Client,
    clock: Clock,
    private readonly onCommit = () => {},
  ) {
    this.#connection = new Connection(client);
    this.#session = sessionOn(clock, this.#connection);
  }

  /** Reads of one turn of the event loop share a transaction: beginning one costs more than a point read. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inTurn(async (session) => {
      if (!this.#isReading) {
        await session.run(BEGIN_READS);
        this.#isReading = true;
        setImmediate(() => this.#endReads());
      }
      return work(session);
    });
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { client } = this.#connection;
    return this.write(async (session) => {
      try {
        await session.run(BEGIN);
        const result = await work(session);
        await session.run(COMMIT);
        this.onCommit();
        return result;
      } finally {
        if (client.inTransaction) client.run("rollback");
      }
    });
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inTurn((session) => {
      this.#endReads();
      return work(session);
    });
  }

  #endReads(): void {
    // An error may have ended it.
    if (this.#isReading && this.#connection.client.inTransaction) {
      this.#connection.prepare(COMMIT).statement.run();
    }
    this.#isReading = false;
  }

  async #inTurn<T>(work: (session: Transaction) => Promise<T>): Promise<T> {
    const { filename } = this.#connection.client;
    const before = lastUses.get(filename);
    const { promise, resolve } = Promise.withResolvers<void>();
    lastUses.set(filename, promise);
    await before;
    try {
      return await work(this.#session);
    } finally {
      resolve();
    }
  }

  isCommitUnknown(): boolean {
    return false;
  }

  violates(error: unknown, index: string): boolean {
    if (!(error instanceof Error) || !("code" in error)) return false;
    if (error.code !== "SQLITE_CONSTRAINT_UNIQUE") return false;
    const columns = this.#connection.client
      .query<{ column: string }, [string]>(
        `select s.tbl_name || '.' || i.name as "column"
         from sqlite_schema as s, pragma_index_info(s.name) as i where s.name = ? order by i.seqno`,
      )
      .all(index);
    return error.message.endsWith(`: ${columns.map(({ column }) => column).join(", ")}`);
  }

  /** Closes the connection once nothing uses it. Every later call fails. */
  close(): Promise<void> {
    return this.write(async () => this.#connection.close());
  }
}
