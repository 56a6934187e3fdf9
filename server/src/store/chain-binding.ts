import { getTableColumns, isNull, sql } from "drizzle-orm";
import { type Database, rowIn } from "./database.ts";
import { chainBinding } from "./schema.ts";

export type ChainBinding = Readonly<Omit<typeof chainBinding.$inferSelect, "id">>;

/** Plain SQL, because a database of another version may not fit drizzle's tables. */
export const READ_BINDING = `select chain, launch_wallet as "launchWallet",
  genesis_hash as "genesisHash", mint_secret_fingerprint as "mintSecretFingerprint",
  dbc_config as "dbcConfig" from chain_binding`;

const { id: _, ...COLUMNS } = getTableColumns(chainBinding);

export class ChainBindings {
  constructor(private readonly db: Database) {}

  /** Returns null before the first start, and therefore before the first launch. */
  async read(): Promise<ChainBinding | null> {
    const [row] = await this.db.read(({ orm }) => orm.select(COLUMNS).from(chainBinding));
    return row ?? null;
  }

  /** Binds the database, or adds a missing wallet and config. The first of several servers wins. */
  async bind(binding: ChainBinding): Promise<ChainBinding> {
    const set = {
      dbcConfig: sql`coalesce(${chainBinding.dbcConfig}, excluded.dbc_config)`,
      launchWallet: sql`coalesce(${chainBinding.launchWallet}, excluded.launch_wallet)`,
    };
    const rows = await this.db.write(({ orm }) =>
      orm
        .insert(chainBinding)
        .values({ id: 1, ...binding })
        .onConflictDoUpdate({ target: chainBinding.id, set })
        .returning(COLUMNS),
    );
    return rowIn(rows);
  }

  async change(changed: Partial<ChainBinding>): Promise<void> {
    await this.db.write(({ orm }) => orm.update(chainBinding).set(changed));
  }

  async bindGenesis(genesisHash: string): Promise<string | null> {
    await this.db.write(({ orm }) =>
      orm.update(chainBinding).set({ genesisHash }).where(isNull(chainBinding.genesisHash)),
    );
    return (await this.read())?.genesisHash ?? null;
  }
}
