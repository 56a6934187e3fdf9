import { setTimeout as sleep } from "node:timers/promises";
import {
  type PostgresOptions,
  startPostgres,
  type TestDatabases,
  type TestPostgres,
} from "../../../server/src/testing/postgres.ts";
import { DatabaseProxy } from "./database-proxy.ts";

/** How long the standby's copy takes each way, in milliseconds: long enough for commits in between. */
const LINK_MS = 40;

/** A primary whose commits wait for a standby. */
export interface PostgresPair extends AsyncDisposable {
  readonly primary: TestPostgres;
  readonly standby: TestPostgres;
  readonly link: DatabaseProxy;
  /** Makes the standby the primary, and waits until it takes writes. */
  promote(): Promise<void>;
}

export async function startPostgresPair(options: PostgresOptions = {}): Promise<PostgresPair> {
  await using opened = new AsyncDisposableStack();
  const primary = opened.use(await startPostgres(options));
  const link = opened.use(await DatabaseProxy.start(primary.url()));
  const standby = opened.use(
    await startPostgres({
      ...options,
      fill: async ({ run }, data) => {
        const copy = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"];
        await run("pg_basebackup", `--dbname=${link.url}`, `--pgdata=${data}`, ...copy);
      },
    }),
  );
  await sql(primary, "alter system set synchronous_standby_names = '*'");
  await sql(primary, "select pg_reload_conf()");
  const state = "select sync_state from pg_stat_replication";
  while ((await sql(primary, state)).trim() !== "sync") await sleep(20);
  link.delayMs = LINK_MS;
  const all = opened.move();
  return {
    primary,
    standby,
    link,
    promote: async () => void (await sql(standby, "select pg_promote()")),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Runs one statement. @returns its rows as text, a line each, the columns separated by `|` */
export function sql(postgres: TestDatabases, statement: string, url = postgres.url()) {
  return postgres.run("psql", "-AtXq", "--set=ON_ERROR_STOP=1", "--command", statement, url);
}
