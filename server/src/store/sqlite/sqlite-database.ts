import type { Database as Client } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Clock } from "../../base/clock.ts";
import { utcDay } from "../../base/utc-day.ts";
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

/** The most texts of statements that a connection keeps prepared. */
const MAX_PREPARED = 1_000;

const WORDS = {
  engine: "sqlite",
  greatest: sql.raw("max"),
  least: sql.raw("min"),
  json: {
    object: sql.raw("json_object"),
    list: sql.raw("json_group_array"),
    each: sql.raw("json_each"),
  },
  locking: () => sql.empty(),
} as const;

/** In prepared statements the time is a value like others, which the session fills in. */
const DIALECT: Dialect = {
  ...WORDS,
  now: sql`${sql.placeholder("now")}`,
  today: sql`${sql.placeholder("today")}`,
};

type Prepared = ReturnType<Client["query"]>;
type Parameter = Parameters<Prepared["all"]>[number];

/** A hot statement on one connection; a placeholder stands for its value. */
interface Hot {
  readonly prepared: Prepared;
  readonly bind: ReturnType<typeof binder>;
}

/** One connection and what is prepared on it. */
class Connection {
  readonly client: Client;
  readonly #byText = new Map<string, Prepared>();
  readonly #hot = new Map<Statement<unknown>, Hot>();

  constructor(client: Client) {
    this.client = client;
  }

  prepare(text: string): Prepared {
    const known = this.#byText.get(text);
    if (known) return known;
    const prepared = this.client.prepare(text);
    if (this.#byText.size < MAX_PREPARED) this.#byText.set(text, prepared);
    return prepared;
  }

  hot(statement: Statement<unknown>): Hot {
    const known = this.#hot.get(statement);
    if (known) return known;
    const { sql: text, params } = compiler.sqlToQuery(statement(DIALECT));
    const hot = { prepared: this.client.prepare(text), bind: binder(params) };
    this.#hot.set(statement, hot);
    return hot;
  }

  /** Also ends what is prepared, which would go on working on a closed connection. */
  close(): void {
    for (const prepared of this.#byText.values()) prepared.finalize();
    for (const { prepared } of this.#hot.values()) prepared.finalize();
    this.#byText.clear();
    this.#hot.clear();
    this.client.close();
  }
}

class SqliteSession implements Session {
  readonly engine = WORDS.engine;
  readonly greatest = WORDS.greatest;
  readonly least = WORDS.least;
  readonly json = WORDS.json;
  readonly locking = WORDS.locking;
  readonly #clock: Clock;
  #orm: Session["orm"] | null = null;

  /** @param connection of the next statement */
  constructor(
    clock: Clock,
    protected readonly connection: () => Connection,
  ) {
    this.#clock = clock;
  }

  get now(): SQL<number> {
    return sql`${this.#clock.now()}`;
  }

  get today(): SQL<string> {
    return sql`${utcDay(this.#clock.now())}`;
  }

  get orm(): Session["orm"] {
    // drizzle uses nothing of a client but `prepare`.
    const client = { prepare: (text: string) => this.connection().prepare(text) };
    this.#orm ??= drizzle({ client: client as Client }) as unknown as Session["orm"];
    return this.#orm;
  }

  async all<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row[]> {
    const { prepared, params } = this.#bind(query, values);
    return prepared.all(...params) as Row[];
  }

  async get<Row>(query: SQL<Row> | Statement<Row>, values?: Values): Promise<Row | null> {
    const { prepared, params } = this.#bind(query, values);
    return prepared.get(...params) as Row | null;
  }

  async run(query: SQL | Statement<unknown>, values?: Values): Promise<number> {
    const { prepared, params } = this.#bind(query, values);
    return prepared.run(...params).changes;
  }

  #bind(
    query: SQL | Statement<unknown>,
    values: Values = {},
  ): { readonly prepared: Prepared; readonly params: Parameter[] } {
    const connection = this.connection();
    if (typeof query !== "function") {
      const { sql: text, params } = compiler.sqlToQuery(query);
      return { prepared: connection.prepare(text), params: params as Parameter[] };
    }
    const { prepared, bind } = connection.hot(query);
    return { prepared, params: bind((name) => this.#valueOf(name, values)) as Parameter[] };
  }

  #valueOf(name: string, values: Values): unknown {
    const value = values[name];
    if (value !== undefined) return value;
    if (name === "now") return this.#clock.now();
    if (name === "today") return utcDay(this.#clock.now());
    throw new Error(`the statement has no value for ${name}`);
  }
}

/** A session that alone may write. */
class WritingSession extends SqliteSession implements Transaction {
  isOver = false;

  constructor(clock: Clock, writer: Connection) {
    super(clock, () => {
      if (this.isOver) throw new Error("what writes on SQLite awaits nothing but its own session");
      return writer;
    });
  }

  async lock(): Promise<void> {}

  commit(): void {
    this.connection().prepare("commit").run();
  }
}

/** Whose turn it is to write, in order. */
class Mutex {
  static readonly #ofFiles = new Map<string, Mutex>();
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  /** @returns the one mutex of a file in this process */
  static of(path: string): Mutex {
    const known = Mutex.#ofFiles.get(path) ?? new Mutex();
    Mutex.#ofFiles.set(path, known);
    return known;
  }

  /** Null if it is taken at once. */
  take(): Promise<void> | null {
    if (this.#isHeld) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isHeld = true;
    return null;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isHeld = false;
  }
}

/**
 * The database of one server: a connection that writes behind a mutex, and one for reads beside an open
 * transaction. Reads otherwise take the writer's connection, whose pages stay in memory: a second
 * connection drops all of its pages after each commit of the first.
 */
export class SqliteDatabase implements Database {
  readonly isShared = false;
  readonly #clock: Clock;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #reads: Session;
  readonly #mutex: Mutex;
  #isInTransaction = false;

  /** @param reader of the same file, and only for reads */
  constructor(writer: Client, reader: Client, clock: Clock) {
    this.#clock = clock;
    this.#writer = new Connection(writer);
    this.#reader = new Connection(reader);
    this.#mutex = Mutex.of(writer.filename);
    // Never in the middle of the writer's transaction, and without waiting for it.
    const idle = () => (this.#isInTransaction ? this.#reader : this.#writer);
    this.#reads = new SqliteSession(clock, idle);
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return work(this.#reads);
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#alone(work);
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#alone(async (session) => {
      this.#writer.prepare("begin immediate").run();
      this.#isInTransaction = true;
      const result = await work(session);
      session.commit();
      return result;
    });
  }

  async #alone<T>(work: (session: WritingSession) => Promise<T>): Promise<T> {
    await this.#mutex.take();
    const session = new WritingSession(this.#clock, this.#writer);
    const end = () => {
      session.isOver = true;
      try {
        if (this.#isInTransaction && this.#writer.client.inTransaction) {
          this.#writer.prepare("rollback").run();
        }
      } finally {
        this.#isInTransaction = false;
        this.#mutex.release();
      }
    };
    // Its own statements take no turn of the event loop.
    const watch = setImmediate(end);
    try {
      return await work(session);
    } finally {
      clearImmediate(watch);
      if (!session.isOver) end();
    }
  }

  isCommitUnknown(): boolean {
    return false;
  }

  violates(error: unknown, index: string): boolean {
    if (!(error instanceof Error) || !("code" in error)) return false;
    if (error.code !== "SQLITE_CONSTRAINT_UNIQUE") return false;
    const columns = this.#reader.client
      .query<{ column: string }, [string]>(
        `select s.tbl_name || '.' || i.name as "column"
         from sqlite_schema as s, pragma_index_info(s.name) as i where s.name = ? order by i.seqno`,
      )
      .all(index);
    return error.message.endsWith(`: ${columns.map(({ column }) => column).join(", ")}`);
  }

  /** Closes both connections once nothing writes. Every later call fails. */
  async close(): Promise<void> {
    await this.write(async () => {
      this.#reader.close();
      this.#writer.close();
    });
  }
}
