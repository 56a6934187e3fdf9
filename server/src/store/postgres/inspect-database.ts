import { type ChainBinding, READ_BINDING } from "../chain-binding.ts";
import { migrations } from "../migrations.ts";
import { readVersion } from "./migrate.ts";
import { withConnection } from "./primary.ts";
import { DATABASE_TIME } from "./session.ts";
import { POOL_SIZE } from "./store.ts";

export type PostgresState = Awaited<ReturnType<typeof inspectPostgres>>;

/** Counts only the standbys that this user may see. */
const READ_STATE = `select split_part(current_setting('server_version'), ' ', 1) as version,
  current_setting('synchronous_commit') as "synchronousCommit",
  trim(current_setting('synchronous_standby_names')) <> '' as "namesStandbys",
  (select count(*)::int from pg_stat_replication where state = 'streaming') as standbys,
  current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int as "maxConnections",
  ${DATABASE_TIME} as now`;

interface StateRow {
  readonly version: string;
  readonly synchronousCommit: string;
  readonly namesStandbys: boolean;
  readonly standbys: number;
  readonly maxConnections: number;
  readonly now: number;
}

/** Reads the state of the primary, and changes nothing. Throws as `withConnection`. */
export function inspectPostgres(url: string) {
  return withConnection(url, async (client) => {
    const asked = Date.now();
    const [state] = (await client.query<StateRow>(READ_STATE)).rows;
    const answered = Date.now();
    if (!state) throw new Error("The database does not say its settings");
    const has = await readVersion(client);
    const bindings = has === 0 ? [] : (await client.query<ChainBinding>(READ_BINDING)).rows;
    return {
      ...state,
      binding: bindings[0] ?? null,
      schema: { has, known: migrations.length },
      poolSize: POOL_SIZE,
      /** Milliseconds by which the database's clock is ahead of this machine's. */
      clockAheadMs: state.now - (asked + answered) / 2,
    };
  });
}
