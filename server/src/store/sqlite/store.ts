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
  const both = new SqliteDatabase(db.$client, openReader(path), clock);
  const alone = <Noun extends object>(noun: Noun) => callAlone(both, noun);
  return {
    launches: new Launches(both, { onEnded, onEvents }),
    tokens: new Tokens(both),
    claims: new Claims(both, onEvents),
    collections: new Collections(both),
    poolMigrations: new PoolMigrations(both),
    images: new Images(both),
    operator: new Operator(both),
    events: new Events(both),
    watch: new Watch(both, onEvents),
    chainBinding: new ChainBindings(both),
    webhooks: new Webhooks(both),
    usedNonces: new UsedNoncesInMemory(),
    clock,
    isShared: false,
    ping: async () => void one.get(),
    findProblem: () => both.write(async () => findProblem(db, dirname(path))),
    close: () => both.close(),
  };
}

/** Runs each call of what is synchronous still by itself: never in the middle of a transaction. */
function callAlone<Noun extends object>(db: SqliteDatabase, noun: Noun): Noun {
  return new Proxy(noun, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => db.write(() => member.apply(target, args));
    },
  });
}
