import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ChainBindings } from "../chain-binding.ts";
import { Claims } from "../claims.ts";
import { Collections } from "../collections.ts";
import { Events, type OnEvents } from "../events.ts";
import { Images } from "../images.ts";
import type { OnEnded } from "../launch-row.ts";
import { Launches } from "../launches.ts";
import { Operator } from "../operator.ts";
import { PoolMigrations } from "../pool-migrations.ts";
import type { Store } from "../store.ts";
import { Tokens } from "../tokens.ts";
import { Watch } from "../watch.ts";
import { Webhooks } from "../webhooks.ts";
import { openDatabase, openReader } from "./database.ts";
import { findProblem } from "./find-problem.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { UsedNoncesInMemory } from "./used-nonces.ts";

export interface SqliteStoreOptions {
  /** The time of leases and days. */
  readonly clock: Clock;
  readonly onEnded?: OnEnded;
  readonly onEvents?: OnEvents;
}

/**
 * Opens the store of one server in a database file, created if it is missing. What a call writes is on
 * the disk when its promise resolves.
 */
export function openSqliteStore(
  path: string,
  { clock, onEnded = () => {}, onEvents = () => {} }: SqliteStoreOptions,
): Store {
  const db = openDatabase(path);
  const one = db.$client.query("select 1 from launches limit 1");
  const database = new SqliteDatabase(db.$client, openReader(path), clock);
  return {
    launches: new Launches(database, { onEnded, onEvents }),
    tokens: new Tokens(database),
    claims: new Claims(database, onEvents),
    collections: new Collections(database),
    poolMigrations: new PoolMigrations(database),
    images: new Images(database),
    operator: new Operator(database),
    events: new Events(database),
    watch: new Watch(database, onEvents),
    chainBinding: new ChainBindings(database),
    webhooks: new Webhooks(database),
    usedNonces: new UsedNoncesInMemory(),
    clock,
    isShared: false,
    ping: async () => void one.get(),
    findProblem: () => database.write(async () => findProblem(db, dirname(path))),
    close: () => database.close(),
  };
}
