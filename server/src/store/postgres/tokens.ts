import { and, desc, eq, getTableColumns, gt, lt } from "drizzle-orm";
import type {
  ExportedToken,
  ListedToken,
  Page,
  PooledToken,
  TokenCosts,
  TokenMetadataRow,
  TokenOrigin,
  TokenRow,
  TokenStore,
} from "../token-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { launches, poolMigrations, tokens } from "./schema.ts";

const { migratedAt: _migrated, feesToldAt: _told, ...COLUMNS } = getTableColumns(tokens);

/** The tokens that are on chain. */
export class PostgresTokenStore implements TokenStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async list(wallet: string): Promise<ListedToken[]> {
    const rows = await this.#db.read(({ orm }) =>
      orm.select(COLUMNS).from(tokens).where(eq(tokens.wallet, wallet)).orderBy(desc(tokens.id)),
    );
    return rows.map(({ eventId: _, wallet: __, ...listed }) => listed);
  }

  async page(wallet: string, limit: number, before: number | null): Promise<Page<TokenRow>> {
    const isOlder = lt(tokens.id, before ?? Number.MAX_SAFE_INTEGER);
    const rows = await this.#db.read(({ orm }) =>
      orm
        .select(COLUMNS)
        .from(tokens)
        .where(and(eq(tokens.wallet, wallet), isOlder))
        .orderBy(desc(tokens.id))
        .limit(limit + 1),
    );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { rows: rows.slice(0, limit), next: last?.id ?? null };
  }

  async find(wallet: string, mint: string): Promise<TokenRow | null> {
    const token = await this.findAny(mint);
    return token?.wallet === wallet ? token : null;
  }

  async findAny(mint: string): Promise<TokenRow | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm.select(COLUMNS).from(tokens).where(eq(tokens.tokenMint, mint)),
    );
    return row ?? null;
  }

  async origin(mint: string): Promise<TokenOrigin | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({ token: COLUMNS, signature: launches.signature, poolTerms: launches.poolTerms })
        .from(tokens)
        .innerJoin(launches, eq(launches.eventId, tokens.eventId))
        .where(eq(tokens.tokenMint, mint)),
    );
    return row ?? null;
  }

  after(after: number, limit: number): Promise<ExportedToken[]> {
    return this.#db.read(({ orm }) =>
      orm
        .select({ id: tokens.id, tokenMint: tokens.tokenMint, imageHash: launches.imageHash })
        .from(tokens)
        .innerJoin(launches, eq(launches.eventId, tokens.eventId))
        .where(gt(tokens.id, after))
        .orderBy(tokens.id)
        .limit(limit),
    );
  }

  pools(after: number, limit: number): Promise<PooledToken[]> {
    const { id, tokenMint, poolAddress, ticker, wallet } = tokens;
    return this.#db.read(({ orm }) =>
      orm
        .select({ id, tokenMint, poolAddress, ticker, wallet })
        .from(tokens)
        .where(gt(id, after))
        .orderBy(id)
        .limit(limit),
    );
  }

  costs(after: number, limit: number): Promise<TokenCosts[]> {
    return this.#db.read(({ orm }) =>
      orm
        .select({
          id: tokens.id,
          launchLamports: launches.reservedLamports,
          migrationLamports: poolMigrations.reservedLamports,
        })
        .from(tokens)
        .innerJoin(launches, eq(launches.eventId, tokens.eventId))
        .leftJoin(
          poolMigrations,
          and(eq(poolMigrations.tokenMint, tokens.tokenMint), eq(poolMigrations.status, "done")),
        )
        .where(gt(tokens.id, after))
        .orderBy(tokens.id)
        .limit(limit),
    );
  }

  async metadata(mint: string): Promise<TokenMetadataRow | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({
          name: launches.name,
          ticker: launches.ticker,
          description: launches.description,
          imageUrl: launches.imageUrl,
          website: launches.website,
          twitter: launches.twitter,
          telegram: launches.telegram,
          wallet: launches.wallet,
          poolTerms: launches.poolTerms,
          status: launches.status,
        })
        .from(launches)
        .where(eq(launches.tokenMint, mint))
        .limit(1),
    );
    if (!row) return null;
    const { status, ...metadata } = row;
    return { ...metadata, isDeployed: status === "success" };
  }
}
