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
  least: sql.raw("min"),
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

  /** Lets reads share a transaction: one each costs two system calls, half a point read's time. */
  shareReads(): void {
    if (this.client.inTransaction) return;
    this.prepare(BEGIN_READS).statement.run();
    if (sharing.size === 0) setImmediate(endReads);
    sharing.add(this);
  }

  endReads(): void {
    if (this.client.inTransaction) this.prepare(COMMIT).statement.run();
  }

  /** Also finalizes prepared statements, which would keep working on a closed connection. */
  close(): void {
    for (const { statement } of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
    this.client.close();
  }
}

/** Connections whose reads share a transaction. */
const sharing = new Set<Connection>();

/** Ends shared reads, also around each write of this process, so that the next read sees it. */
function endReads(): void {
  for (const connection of sharing) connection.endReads();
  sharing.clear();
}

/** @param connection returns the connection of the next statement */
function sessionOn(clock: Clock, connection: () => Connection): Transaction {
  const find = (name: string, values: Values) => {
    const value = values[name];
    if (value !== undefined) return value;
    if (name === "now") return clock.now();
    if (name === "today") return utcDay(clock.now());
    throw new Error(`the statement has no value for ${name}`);
  };
  const bind = (query: SQL | Statement<unknown>, values: Values = {}) => {
    if (typeof query === "function") {
      const { statement, bind } = connection().prepare(query);
      return { statement, params: bind((name) => find(name, values)) as Parameter[] };
    }
    const { sql: text, params } = compiler.sqlToQuery(query);
    return { statement: connection().prepare(text).statement, params: params as Parameter[] };
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
      const client = { prepare: (text: string) => connection().prepare(text).statement };
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
    async lock() {},
  };
}

/** When the last write to each file of this process ends: writes take turns. */
const lastWrites = new Map<string, Promise<void>>();

/**
 * The database of one server: a connection that writes, one write at a time, and one that only
 * reads. A read takes one of them and sees:
 *
 *     no write runs       writer   a transaction that the reads of this turn share (`shareReads`)
 *     a write has begun   writer   the last commit: the shared transaction has ended (`endReads`)
 *     begin … commit      reader   the last commit, without waiting
 *
 * Reads take the writer's connection if they can, because its pages stay in memory: any other
 * connection drops all of its pages after each commit of the writer.
 */
export class SqliteDatabase implements Database {
  readonly isShared = false;
  readonly #clock: Clock;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #reads: Session;
  #isWriting = false;

  /** @param reader a read-only connection to the same file */
  constructor(writer: Client, reader: Client, clock: Clock) {
    this.#clock = clock;
    this.#writer = new Connection(writer);
    this.#reader = new Connection(reader);
    // Never reads inside the writer's transaction, and never waits for it.
    this.#reads = sessionOn(clock, () => {
      if (!this.#isWriting) this.#writer.shareReads();
      else if (writer.inTransaction) return this.#reader;
      return this.#writer;
    });
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return work(this.#reads);
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#alone(work);
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { client } = this.#writer;
    return this.#alone(
      async (session) => {
        await session.run(BEGIN);
        const result = await work(session);
        await session.run(COMMIT);
        return result;
      },
      () => client.inTransaction && client.run("rollback"),
    );
  }

  /** @param undo called at the end, whether `work` succeeds or fails */
  async #alone<T>(work: (session: Transaction) => Promise<T>, undo = () => {}): Promise<T> {
    const { filename } = this.#writer.client;
    const before = lastWrites.get(filename);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    lastWrites.set(filename, promise);
    await before;
    endReads();
    this.#isWriting = true;
    let isOver = false;
    const session = sessionOn(this.#clock, () => {
      if (isOver) throw new Error("what writes on SQLite awaits nothing but its own session");
      return this.#writer;
    });
    const end = () => {
      if (isOver) return;
      isOver = true;
      try {
        undo();
      } finally {
        this.#isWriting = false;
        endReads();
        release();
      }
    };
    // Awaiting its own statements never lets the event loop turn.
    const watch = setImmediate(end);
    try {
      return await work(session);
    } finally {
      clearImmediate(watch);
      end();
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
