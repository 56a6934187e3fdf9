import type pg from "pg";
import type { ChainBinding } from "../chain-binding.ts";
import { withConnection } from "./connect-alone.ts";
import { migrations, readVersion } from "./migrate.ts";
import { DATABASE_TIME } from "./server-time.ts";
import { POOL_SIZE } from "./store.ts";

/** What a PostgreSQL database says of itself. */
export interface PostgresState {
  /** Of PostgreSQL, for example `17.5`. */
  readonly version: string;
  /** Migrations that the database has had, and that this program knows. */
  readonly schema: { readonly has: number; readonly known: number };
  readonly synchronousCommit: string;
  /** Whether commits wait for a standby. */
  readonly namesStandbys: boolean;
  /** Standbys that are connected now; 0 also if this user may not see them. */
  readonly standbys: number;
  readonly maxConnections: number;
  /** Connections that a server opens at most. */
  readonly poolSize: number;
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** What the launches belong to; null before the first start. */
  readonly binding: ChainBinding | null;
}

/**
 * Reads the state of the database that takes writes, and changes nothing.
 *
 * @throws {Error} saying in one line, without the password, why it cannot be read
 */
export function inspectPostgres(url: string): Promise<PostgresState> {
  return withConnection(url, async (client) => {
    const settings = await readSettings(client);
    const has = await readVersion(client);
    return {
      ...settings,
      binding: has === 0 ? null : await readBinding(client),
      schema: { has, known: migrations.length },
      poolSize: POOL_SIZE,
      clockAheadMs: await measureClock(client),
    };
  });
}

async function readSettings(client: pg.Client) {
  const { rows } = await client.query<{
    version: string;
    commit: string;
    standbyNames: string;
    standbys: number;
    connections: string;
    reserved: string;
  }>(`select current_setting('server_version') as version,
       current_setting('synchronous_commit') as commit,
       current_setting('synchronous_standby_names') as "standbyNames",
       (select count(*)::int from pg_stat_replication where state = 'streaming') as standbys,
       current_setting('max_connections') as connections,
       current_setting('superuser_reserved_connections') as reserved`);
  const [row] = rows;
  if (!row) throw new Error("The database does not say its settings");
  return {
    version: row.version.split(" ")[0] ?? row.version,
    synchronousCommit: row.commit,
    namesStandbys: row.standbyNames.trim() !== "",
    standbys: row.standbys,
    maxConnections: Number(row.connections) - Number(row.reserved),
  };
}

async function readBinding(client: pg.Client): Promise<ChainBinding | null> {
  const { rows } = await client.query<ChainBinding>(
    `select chain, launch_wallet as "launchWallet", genesis_hash as "genesisHash",
       mint_secret_fingerprint as "mintSecretFingerprint", dbc_config as "dbcConfig"
     from chain_binding`,
  );
  return rows[0] ?? null;
}

async function measureClock(client: pg.Client): Promise<number> {
  const asked = Date.now();
  const { rows } = await client.query<{ now: number }>(`select ${DATABASE_TIME} as now`);
  return (rows[0]?.now ?? asked) - (asked + Date.now()) / 2;
}
