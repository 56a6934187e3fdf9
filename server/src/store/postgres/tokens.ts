import { and, desc, eq, lt } from "drizzle-orm";
import type { ListedToken, Page, TokenMetadataRow, TokenRow, TokenStore } from "../token-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { launches, tokens } from "./schema.ts";

/** The tokens that are on chain. */
export class PostgresTokenStore implements TokenStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async list(wallet: string): Promise<ListedToken[]> {
    const rows = await this.#db.read(({ orm }) =>
      orm.select().from(tokens).where(eq(tokens.wallet, wallet)).orderBy(desc(tokens.id)),
    );
    return rows.map(({ eventId: _, wallet: __, ...listed }) => listed);
  }

  async page(wallet: string, limit: number, before: number | null): Promise<Page<TokenRow>> {
    const isOlder = lt(tokens.id, before ?? Number.MAX_SAFE_INTEGER);
    const rows = await this.#db.read(({ orm }) =>
      orm
        .select()
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
    // PostgreSQL takes no such text, and no mint has it.
    if (mint.includes("\0")) return null;
    const [row] = await this.#db.read(({ orm }) =>
      orm.select().from(tokens).where(eq(tokens.tokenMint, mint)),
    );
    return row ?? null;
  }

  async metadata(mint: string): Promise<TokenMetadataRow | null> {
    if (mint.includes("\0")) return null;
    const { name, ticker, description, imageUrl, website, twitter, telegram } = launches;
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({ name, ticker, description, imageUrl, website, twitter, telegram })
        .from(launches)
        .where(eq(launches.tokenMint, mint))
        .limit(1),
    );
    return row ?? null;
  }
}
