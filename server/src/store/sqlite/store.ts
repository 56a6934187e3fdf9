import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { OnEvents } from "../event-store.ts";
import type { OnEnded } from "../launch-row.ts";
import type { Store } from "../store.ts";
import { Admission } from "./admission.ts";
import { SqliteChainBindingStore } from "./chain-binding.ts";
import { SqliteClaimStore } from "./claims.ts";
import { SqliteCollectionStore } from "./collections.ts";
import { openDatabase } from "./database.ts";
import { SqliteEventStore } from "./events.ts";
import { findProblem } from "./find-problem.ts";
import { SqliteImageStore } from "./images.ts";
import { SqliteLaunchStore } from "./launches.ts";
import { SqliteOperatorStore } from "./operator.ts";
import { SqlitePoolMigrationStore } from "./pool-migrations.ts";
import { SqliteTokenStore } from "./tokens.ts";
import { UsedNoncesInMemory } from "./used-nonces.ts";
import { SqliteWatchStore } from "./watch.ts";
import { SqliteWebhookStore } from "./webhooks.ts";

export interface SqliteStoreOptions {
  /** The time of leases and days. */
  readonly clock: Clock;
  readonly onEnded?: OnEnded;
  readonly onEvents?: OnEvents;
}

/**
 * Opens the store of one server in a database file, created if it is missing. Each call is one
 * synchronous transaction: what it writes is on the disk when its promise is returned.
 */
export function openSqliteStore(
  path: string,
  { clock, onEnded = () => {}, onEvents = () => {} }: SqliteStoreOptions,
): Store {
  const db = openDatabase(path);
  const admission = new Admission(db, clock);
  const one = db.$client.query("select 1 from launches limit 1");
  return {
    launches: new SqliteLaunchStore(db, clock, onEnded, onEvents, admission),
    tokens: new SqliteTokenStore(db),
    claims: new SqliteClaimStore(db, clock, onEvents),
    collections: new SqliteCollectionStore(db),
    poolMigrations: new SqlitePoolMigrationStore(db, clock),
    images: new SqliteImageStore(db),
    operator: new SqliteOperatorStore(db, clock, admission),
    events: new SqliteEventStore(db),
    watch: new SqliteWatchStore(db, clock, onEvents),
    webhooks: new SqliteWebhookStore(db, clock),
    chainBinding: new SqliteChainBindingStore(db),
    usedNonces: new UsedNoncesInMemory(),
    clock,
    isShared: false,
    ping: async () => void one.get(),
    findProblem: async () => findProblem(db, dirname(path)),
    close: async () => db.$client.close(),
  };
}
