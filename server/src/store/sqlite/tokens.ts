import { and, desc, eq, getTableColumns, gt, lt, sql } from "drizzle-orm";
import { launches, poolMigrations, tokens } from "../schema.ts";
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
import type { Database } from "./database.ts";

const { migratedAt: _migrated, feesToldAt: _told, ...COLUMNS } = getTableColumns(tokens);

/** The token table. Each call is one synchronous read. */
export class SqliteTokenStore implements TokenStore {
  readonly #db: Database;
  readonly #all;
  readonly #page;
  readonly #byMint;

  constructor(db: Database) {
    this.#db = db;
    const ofWallet = eq(tokens.wallet, sql.placeholder("wallet"));
    // Straight from the driver: 100 tokens take 46 µs, and 66 µs through a prepared drizzle query.
    this.#all = db.$client.query<ListedToken, [string]>(
      `select id, token_mint as tokenMint, pool_address as poolAddress, ticker, name,
         deployed_at as deployedAt, claimed_at as claimedAt, claimed_to as claimedTo
       from tokens where wallet = ? order by id desc`,
    );
    this.#page = db
      .select(COLUMNS)
      .from(tokens)
      .where(and(ofWallet, lt(tokens.id, sql.placeholder("before"))))
      .orderBy(desc(tokens.id))
      .limit(sql.placeholder("limit"))
      .prepare();
    this.#byMint = db
      .select(COLUMNS)
      .from(tokens)
      .where(and(eq(tokens.tokenMint, sql.placeholder("mint")), ofWallet))
      .prepare();
  }

  async list(wallet: string): Promise<ListedToken[]> {
    return this.#all.all(wallet);
  }

  async page(wallet: string, limit: number, before: number | null): Promise<Page<TokenRow>> {
    const rows = this.#page.all({
      wallet,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit: limit + 1,
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { rows: rows.slice(0, limit), next: last?.id ?? null };
  }

  async find(wallet: string, mint: string): Promise<TokenRow | null> {
    return this.#byMint.get({ wallet, mint }) ?? null;
  }

  async findAny(mint: string): Promise<TokenRow | null> {
    return this.#db.select(COLUMNS).from(tokens).where(eq(tokens.tokenMint, mint)).get() ?? null;
  }

  async origin(mint: string): Promise<TokenOrigin | null> {
    const row = this.#db
      .select({ token: COLUMNS, signature: launches.signature, poolTerms: launches.poolTerms })
      .from(tokens)
      .innerJoin(launches, eq(launches.eventId, tokens.eventId))
      .where(eq(tokens.tokenMint, mint))
      .get();
    return row ?? null;
  }

  async after(after: number, limit: number): Promise<ExportedToken[]> {
    return this.#db
      .select({ id: tokens.id, tokenMint: tokens.tokenMint, imageHash: launches.imageHash })
      .from(tokens)
      .innerJoin(launches, eq(launches.eventId, tokens.eventId))
      .where(gt(tokens.id, after))
      .orderBy(tokens.id)
      .limit(limit)
      .all();
  }

  async pools(after: number, limit: number): Promise<PooledToken[]> {
    const { id, tokenMint, poolAddress, ticker, wallet } = tokens;
    return this.#db
      .select({ id, tokenMint, poolAddress, ticker, wallet })
      .from(tokens)
      .where(gt(id, after))
      .orderBy(id)
      .limit(limit)
      .all();
  }

  async costs(after: number, limit: number): Promise<TokenCosts[]> {
    return this.#db
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
      .limit(limit)
      .all();
  }

  async metadata(mint: string): Promise<TokenMetadataRow | null> {
    const row = this.#db
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
      .get();
    if (!row) return null;
    const { status, ...metadata } = row;
    return { ...metadata, isDeployed: status === "success" };
  }
}
