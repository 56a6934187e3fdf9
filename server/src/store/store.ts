import type { Clock } from "../base/clock.ts";
import { ChainBindings } from "./chain-binding.ts";
import { Collections } from "./collections.ts";
import type { Database } from "./database.ts";
import { Events } from "./events.ts";
import { HandOvers } from "./hand-overs.ts";
import { Images } from "./images.ts";
import type { LaunchListeners } from "./launch-outcomes.ts";
import { Launches } from "./launches.ts";
import { Markets } from "./markets.ts";
import { Operator } from "./operator.ts";
import { PoolMigrations } from "./pool-migrations.ts";
import { Prepared } from "./prepared.ts";
import { Takedowns } from "./takedowns.ts";
import { Tokens } from "./tokens.ts";
import { NoncesInMemory, StoredNonces, type UsedNonces } from "./used-nonces.ts";
import { Watch } from "./watch.ts";
import { Webhooks } from "./webhooks.ts";

export type StoreListeners = Partial<LaunchListeners>;

export function nounsOf(
  db: Database,
  { onEnded = () => {}, onEvents = () => {} }: StoreListeners = {},
) {
  const usedNonces: UsedNonces = db.isShared ? new StoredNonces(db) : new NoncesInMemory();
  return {
    launches: new Launches(db, { onEnded, onEvents }),
    tokens: new Tokens(db),
    takedowns: new Takedowns(db),
    prepared: new Prepared(db, onEvents),
    handOvers: new HandOvers(db, onEvents),
    collections: new Collections(db),
    poolMigrations: new PoolMigrations(db),
    images: new Images(db),
    operator: new Operator(db),
    events: new Events(db),
    markets: new Markets(db),
    watch: new Watch(db, onEvents),
    webhooks: new Webhooks(db),
    chainBinding: new ChainBindings(db),
    usedNonces,
    isShared: db.isShared,
  };
}

/**
 * A write is durable when its promise resolves: on the disk, or with PostgreSQL as its
 * `synchronous_commit` says.
 * @throws {ServiceError} `database_unavailable` from every call if the database does not answer
 */
export interface Store extends Readonly<ReturnType<typeof nounsOf>> {
  /** The time that all servers of the database agree on. */
  readonly clock: Clock;
  ping(): Promise<void>;
  /** Returns why the database accepts no writes, fit for anyone to read; or null. Never throws. */
  findProblem(): Promise<DatabaseProblem | null>;
  close(): Promise<void>;
}

export interface DatabaseProblem {
  /** Public: no path, no host. */
  readonly text: string;
  /** For the log. */
  readonly cause: unknown;
}
