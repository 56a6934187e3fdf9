import type { Clock } from "../base/clock.ts";
import { ChainBindingStore } from "./chain-binding.ts";
import { ClaimStore } from "./claims.ts";
import { checkWritable, openDatabase } from "./database.ts";
import { LaunchStore, type OnEnded } from "./launches.ts";
import { SpendingStore } from "./spending.ts";
import { TokenStore } from "./tokens.ts";

/** All that is kept. Every call is synchronous, and what it wrote is on the disk when it returns. */
export interface Store {
  readonly launches: LaunchStore;
  readonly tokens: TokenStore;
  readonly claims: ClaimStore;
  readonly spending: SpendingStore;
  /** Whose launches these are. */
  readonly chainBinding: ChainBindingStore;
  /** @throws {Error} where the database does not answer */
  ping(): void;
  /** @throws {Error} where the database takes no writes now, with SQLite's `code` */
  checkWritable(): void;
  close(): void;
}

/** Opens the store in a database file, made when missing, or in `:memory:`. */
export function openStore(path: string, clock: Clock, onEnded?: OnEnded): Store {
  const db = openDatabase(path);
  return {
    launches: new LaunchStore(db, onEnded),
    tokens: new TokenStore(db),
    claims: new ClaimStore(db),
    spending: new SpendingStore(db, clock),
    chainBinding: new ChainBindingStore(db),
    ping: () => void db.$client.query("select 1 from launches limit 1").get(),
    checkWritable: () => checkWritable(db),
    close: () => db.$client.close(),
  };
}
