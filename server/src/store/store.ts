import { sql } from "drizzle-orm";
import type { Clock } from "../base/clock.ts";
import { ChainBindingStore } from "./chain-binding.ts";
import { ClaimStore } from "./claims.ts";
import { checkWritable, openDatabase } from "./database.ts";
import type { OnEnded } from "./launch-row.ts";
import { LaunchStore } from "./launches.ts";
import { launches } from "./schema.ts";
import { SpendingStore } from "./spending.ts";
import { TokenStore } from "./tokens.ts";

/** The database. Every call is synchronous, and what it writes is on the disk when it returns. */
export interface Store {
  readonly launches: LaunchStore;
  readonly tokens: TokenStore;
  readonly claims: ClaimStore;
  readonly spending: SpendingStore;
  /** The chain and the launch wallet that the launches belong to. */
  readonly chainBinding: ChainBindingStore;
  /** @throws {Error} if the database does not answer */
  ping(): void;
  /** @throws {Error} if the database takes no writes now, with SQLite's `code` */
  checkWritable(): void;
  close(): void;
}

/** Opens the store in a database file, created if it is missing, or in `:memory:`. */
export function openStore(path: string, clock: Clock, onEnded?: OnEnded): Store {
  const db = openDatabase(path);
  return {
    launches: new LaunchStore(db, onEnded),
    tokens: new TokenStore(db),
    claims: new ClaimStore(db),
    spending: new SpendingStore(db, clock),
    chainBinding: new ChainBindingStore(db),
    ping: () => void db.select({ one: sql`1` }).from(launches).limit(1).get(),
    checkWritable: () => checkWritable(db),
    close: () => db.$client.close(),
  };
}
