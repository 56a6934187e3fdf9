import { getTableColumns, sql } from "drizzle-orm";
import type { ChainBinding, ChainBindingStore } from "../chain-binding-store.ts";
import { chainBinding } from "../schema.ts";
import type { Database } from "./database.ts";

/** The binding's one row. Each call is one synchronous statement. */
export class SqliteChainBindingStore implements ChainBindingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async read(): Promise<ChainBinding | null> {
    return this.#read();
  }

  async bind(binding: ChainBinding): Promise<ChainBinding> {
    this.#db
      .insert(chainBinding)
      .values({ id: 1, ...binding })
      .onConflictDoUpdate({
        target: chainBinding.id,
        set: { dbcConfig: sql`coalesce(${chainBinding.dbcConfig}, excluded.dbc_config)` },
      })
      .run();
    return this.#read() ?? binding;
  }

  async change(
    changed: Partial<Pick<ChainBinding, "launchWallet" | "mintSecretFingerprint" | "dbcConfig">>,
  ): Promise<void> {
    this.#db.update(chainBinding).set(changed).run();
  }

  async bindGenesis(genesisHash: string): Promise<string | null> {
    this.#db.update(chainBinding).set({ genesisHash }).where(sql`genesis_hash is null`).run();
    return this.#read()?.genesisHash ?? null;
  }

  #read(): ChainBinding | null {
    const { id: _, ...columns } = getTableColumns(chainBinding);
    return this.#db.select(columns).from(chainBinding).get() ?? null;
  }
}
