import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { chainBinding, launches } from "./schema.ts";

/** The chain and the wallet that a database's launches belong to. */
export interface ChainBinding {
  readonly chain: "local" | "solana";
  /** Base58. */
  readonly launchWallet: string;
  /** Base58; null until it was read for the first time. */
  readonly genesisHash: string | null;
}

/** The one row that says whose launches the database holds. */
export class ChainBindingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @returns null before the first start, also of a database that an older version made */
  read(): ChainBinding | null {
    const { chain, launchWallet, genesisHash } = chainBinding;
    return this.#db.select({ chain, launchWallet, genesisHash }).from(chainBinding).get() ?? null;
  }

  /** Whether there is any launch, in whatever state. */
  hasLaunches(): boolean {
    return this.#db.select({ one: sql`1` }).from(launches).limit(1).get() !== undefined;
  }

  /** @throws {Error} where the database is bound already */
  bind(binding: ChainBinding): void {
    this.#db
      .insert(chainBinding)
      .values({ id: 1, ...binding })
      .run();
  }

  changeWallet(launchWallet: string): void {
    this.#db.update(chainBinding).set({ launchWallet }).run();
  }

  /** Binds the chain's genesis hash, unless one is bound. @returns the one that is bound then */
  bindGenesis(genesisHash: string): string | null {
    this.#db.update(chainBinding).set({ genesisHash }).where(sql`genesis_hash is null`).run();
    return this.read()?.genesisHash ?? null;
  }
}
