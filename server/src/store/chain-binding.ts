import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { chainBinding, launches } from "./schema.ts";

/** The chain and the wallet that a database's launches belong to. */
export interface ChainBinding {
  readonly chain: "local" | "solana";
  /** Base58. */
  readonly launchWallet: string;
  /** Base58; null until the server first reads it. */
  readonly genesisHash: string | null;
}

/** The one row that names the chain and the wallet of the database's launches. */
export class ChainBindingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @returns null before the first start, and for a database that an older version created */
  read(): ChainBinding | null {
    const { chain, launchWallet, genesisHash } = chainBinding;
    return this.#db.select({ chain, launchWallet, genesisHash }).from(chainBinding).get() ?? null;
  }

  /** Whether there is any launch, in any state. */
  hasLaunches(): boolean {
    return this.#db.select({ one: sql`1` }).from(launches).limit(1).get() !== undefined;
  }

  /** @throws {Error} if the database is bound already */
  bind(binding: ChainBinding): void {
    this.#db
      .insert(chainBinding)
      .values({ id: 1, ...binding })
      .run();
  }

  changeWallet(launchWallet: string): void {
    this.#db.update(chainBinding).set({ launchWallet }).run();
  }

  /** Binds the chain's genesis hash, unless one is bound already. @returns the bound one */
  bindGenesis(genesisHash: string): string | null {
    this.#db.update(chainBinding).set({ genesisHash }).where(sql`genesis_hash is null`).run();
    return this.read()?.genesisHash ?? null;
  }
}
