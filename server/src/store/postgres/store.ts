import { sql } from "drizzle-orm";
import { parsePostgresUrl } from "../../base/postgres-url.ts";
import type { Statement } from "../database.ts";
import { nounsOf, type Store, type StoreListeners } from "../store.ts";
import type { Timeouts } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { problemOf, ReadOnlyError } from "./faults.ts";
import { migrate } from "./migrate.ts";
import { explainConnectError, Primary } from "./primary.ts";
import { DATABASE_TIME, ServerTime } from "./session.ts";

export const POOL_SIZE = 10;

export interface PostgresOptions extends StoreListeners {
  readonly poolSize?: number;
  /** Tests pass shorter ones. */
  readonly timeouts?: Timeouts;
  /** SQL for the database's time in milliseconds; tests pass one that they control. */
  readonly time?: string;
}

/** Opens and upgrades a database. @throws {Error} one line for the operator, without password */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const target = parsePostgresUrl(url);
  const { poolSize: size = POOL_SIZE, timeouts } = options;
  const primary = new Primary(target, { size, timeouts });
  try {
    await primary.alone(migrate);
    return await openOn(primary, options);
  } catch (cause) {
    await primary.close();
    throw new Error(explainConnectError(cause, target), { cause });
  }
}

const STATE: Statement<{ now: number; readOnly: string; steering: number }> = ({ now }) =>
  sql`select ${now} as now, current_setting('transaction_read_only') as "readOnly",
    coalesce((select version from steering), 0) as steering`;

async function openOn(primary: Primary, options: PostgresOptions): Promise<Store> {
  const clock = new ServerTime();
  const db = new PostgresDatabase(primary, options.time ?? DATABASE_TIME, clock);
  const nouns = nounsOf(db, options);
  const ask = async (): Promise<void> => {
    await db.read(async (session) => {
      const askedAt = clock.elapsed();
      const row = await session.get(STATE);
      if (row) clock.correct(row.now, askedAt, clock.elapsed());
      if (row?.readOnly !== "off") throw new ReadOnlyError();
      nouns.operator.saw(row.steering);
    });
  };
  await ask();
  return {
    ...nouns,
    clock,
    ping: ask,
    async findProblem() {
      try {
        await ask();
        return db.writeProblem === null ? null : problemOf(db.writeProblem);
      } catch (error) {
        return problemOf(error);
      }
    },
    close: () => primary.close(),
  };
}
