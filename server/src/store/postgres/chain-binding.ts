import { eq, isNull, sql } from "drizzle-orm";
import type { ChainBinding, ChainBindingStore } from "../chain-binding-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { chainBinding } from "./schema.ts";

const { chain, launchWallet, genesisHash, mintSecretFingerprint, dbcConfig } = chainBinding;
const ONE_ROW = eq(chainBinding.id, 1);

/** The one row that says what the database's launches belong to. */
export class PostgresChainBindingStore implements ChainBindingStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async read(): Promise<ChainBinding | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({ chain, launchWallet, genesisHash, mintSecretFingerprint, dbcConfig })
        .from(chainBinding),
    );
    return row ?? null;
  }

  async bind(binding: ChainBinding): Promise<ChainBinding> {
    await this.#db.write(({ orm }) =>
      orm
        .insert(chainBinding)
        .values({ id: 1, ...binding })
        .onConflictDoUpdate({
          target: chainBinding.id,
          set: { dbcConfig: sql`coalesce(${dbcConfig}, excluded.dbc_config)` },
        }),
    );
    const bound = await this.read();
    if (!bound) throw new Error("the database was bound and is not any more");
    return bound;
  }

  async change(
    changed: Partial<Pick<ChainBinding, "launchWallet" | "mintSecretFingerprint" | "dbcConfig">>,
  ): Promise<void> {
    await this.#db.write(({ orm }) => orm.update(chainBinding).set(changed).where(ONE_ROW));
  }

  async bindGenesis(hash: string): Promise<string | null> {
    await this.#db.write(({ orm }) =>
      orm.update(chainBinding).set({ genesisHash: hash }).where(isNull(genesisHash)),
    );
    return (await this.read())?.genesisHash ?? null;
  }
}
