import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from "../../server/src/testing/postgres.ts";
import { type Contestant, type Running, start } from "./contestant.ts";
import { seededDatabase } from "./seed.ts";

/** How many servers share a database. */
const GROUP_SIZES = [1, 2, 3] as const;

/** Servers that share one PostgreSQL database. */
export interface ServerGroup {
  readonly name: string;
  readonly servers: readonly Running[];
  /** The URL of their database. */
  readonly database: string;
}

/** @returns why no PostgreSQL can run here, or null */
export function whyNoPostgres(): string | null {
  return POSTGRES_PROGRAMS === null ? "PostgreSQL is not on this machine" : null;
}

/** Starts a PostgreSQL that waits for the disk in each commit, as in production. */
export function startDurablePostgres(): Promise<TestPostgres> {
  return startPostgres({ fsync: true });
}

/**
 * Starts one, two and three servers, each group on an empty database of its own.
 *
 * @param contestantOf the server of one group: no two services may launch from one wallet
 */
export async function startGroups(
  stack: AsyncDisposableStack,
  postgres: TestPostgres,
  contestantOf: () => Contestant | Promise<Contestant>,
): Promise<ServerGroup[]> {
  const groups: ServerGroup[] = [];
  for (const size of GROUP_SIZES) {
    const name = size === 1 ? "PostgreSQL, 1 server" : `PostgreSQL, ${size} servers`;
    const database = await postgres.createDatabase();
    const contestant = await contestantOf();
    const env = { ...contestant.env, DATABASE_URL: database };
    const servers: Running[] = [];
    for (let n = 0; n < size; n++) {
      // The copy of a seeded SQLite database is not opened.
      servers.push(
        stack.use(await start({ ...contestant, name, env }, await seededDatabase(1_000))),
      );
    }
    groups.push({ name, servers, database });
  }
  return groups;
}
