import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { launches, tokens } from "./schema.ts";

export type TokenRow = typeof tokens.$inferSelect;

/** A token as lists show it. */
export type ListedToken = Omit<TokenRow, "eventId" | "wallet">;

/** The contents of a token's metadata document. */
export interface TokenMetadataRow {
  readonly name: string;
  readonly ticker: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
}

/** One page of a list: the rows, and the id after which the next page starts. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

/** The tokens that are on chain. */
export class TokenStore {
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
      .select()
      .from(tokens)
      .where(and(ofWallet, lt(tokens.id, sql.placeholder("before"))))
      .orderBy(desc(tokens.id))
      .limit(sql.placeholder("limit"))
      .prepare();
    this.#byMint = db
      .select()
      .from(tokens)
      .where(and(eq(tokens.tokenMint, sql.placeholder("mint")), ofWallet))
      .prepare();
  }

  /** All tokens of a wallet, newest first. */
  list(wallet: string): ListedToken[] {
    return this.#all.all(wallet);
  }

  /** At most `limit` tokens of a wallet older than `before`, newest first. */
  page(wallet: string, limit: number, before: number | null): Page<TokenRow> {
    const rows = this.#page.all({
      wallet,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit: limit + 1,
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { rows: rows.slice(0, limit), next: last?.id ?? null };
  }

  /** A token of this wallet; what belongs to another wallet does not exist. */
  find(wallet: string, mint: string): TokenRow | null {
    return this.#byMint.get({ wallet, mint }) ?? null;
  }

  /** A token of any wallet, for facts that are public on chain anyway. */
  findAny(mint: string): TokenRow | null {
    return this.#db.select().from(tokens).where(eq(tokens.tokenMint, mint)).get() ?? null;
  }

  /**
   * The metadata of a mint, from the moment that the launch's transaction is signed: indexers ask
   * as soon as they see the mint on chain, which may be before the launch is settled.
   */
  metadata(mint: string): TokenMetadataRow | null {
    const row = this.#db
      .select({
        name: launches.name,
        ticker: launches.ticker,
        description: launches.description,
        imageUrl: launches.imageUrl,
      })
      .from(launches)
      .where(eq(launches.tokenMint, mint))
      .get();
    return row ?? null;
  }
}
