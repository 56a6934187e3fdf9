import type { Token } from "@tokenctl/shared/types";
import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { TokenLinks } from "../domain/launch.ts";
import type { PoolTerms } from "../domain/pool-terms.ts";
import type { Database, Statement } from "./database.ts";
import { launches, poolMigrations, tokens } from "./schema.ts";

/** A token that is on chain. */
export interface TokenRow {
  /** Grows with each token: the order of lists and the cursor of their pages. */
  readonly id: number;
  readonly tokenMint: string;
  readonly poolAddress: string;
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly name: string;
  readonly deployedAt: number;
  /** When fees were claimed last; null while unclaimed. */
  readonly claimedAt: number | null;
  readonly claimedTo: string | null;
}

/** A token as lists show it. */
export type ListedToken = Omit<TokenRow, "eventId" | "wallet">;

/** @returns a token as the wire shows it to its agent */
export function tokenRecord(row: ListedToken): Token {
  return {
    poolAddress: row.poolAddress,
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    tokenName: row.name,
    isClaimed: row.claimedAt !== null,
    claimedAt: row.claimedAt === null ? null : new Date(row.claimedAt).toISOString(),
    claimedToAddress: row.claimedTo,
    deployedAt: new Date(row.deployedAt).toISOString(),
  };
}

/** The contents of a token's metadata document. */
export interface TokenMetadataRow extends TokenLinks {
  /** The agent's wallet. */
  readonly wallet: string;
  readonly name: string;
  readonly ticker: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  /** Null if it is not known what was signed: a restored backup may lack it. */
  readonly poolTerms: PoolTerms | null;
  /** Whether the token is on chain; until then it may still be made under other terms. */
  readonly isDeployed: boolean;
}

/** Where a token comes from. */
export interface TokenOrigin {
  readonly token: TokenRow;
  /** Signature of the transaction that made the token; null if a restored backup lacks it. */
  readonly signature: string | null;
  /** Null with the signature. */
  readonly poolTerms: PoolTerms | null;
}

/** A token, and the image of this service that it has. */
export interface ExportedToken {
  readonly id: number;
  readonly tokenMint: string;
  readonly imageHash: string | null;
}

/** A token and its pool. */
export type PooledToken = Pick<TokenRow, "id" | "tokenMint" | "poolAddress" | "ticker" | "wallet">;

/** What the launch wallet paid for a token, in lamports; null if nothing is known of it. */
export interface TokenCosts {
  readonly id: number;
  readonly launchLamports: bigint | null;
  /** Null also if this service has not migrated its curve. */
  readonly migrationLamports: bigint | null;
}

/** One page of a list: the rows, and the id after which the next page starts. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

const LISTED = sql`id, token_mint as "tokenMint", pool_address as "poolAddress", ticker, name,
  deployed_at as "deployedAt", claimed_at as "claimedAt", claimed_to as "claimedTo"`;
const WHOLE = sql`${LISTED}, event_id as "eventId", wallet`;
const wallet = sql.placeholder("wallet");

const LIST: Statement<ListedToken> = () =>
  sql`select ${LISTED} from tokens where wallet = ${wallet} order by id desc`;

const PAGE: Statement<TokenRow> = () => sql`select ${WHOLE} from tokens
  where wallet = ${wallet} and id < ${sql.placeholder("before")}
  order by id desc limit ${sql.placeholder("limit")}`;

const FIND: Statement<TokenRow> = () =>
  sql`select ${WHOLE} from tokens where token_mint = ${sql.placeholder("mint")}`;

const { migratedAt: _migrated, feesToldAt: _told, ...COLUMNS } = getTableColumns(tokens);

/**
 * The tokens that are on chain. A wallet's tokens commit in the order of their ids, so a cursor
 * skips none: its launches are leased one at a time.
 */
export class Tokens {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** All tokens of a wallet, newest first. */
  list(wallet: string): Promise<ListedToken[]> {
    return this.#db.read((session) => session.all(LIST, { wallet }));
  }

  /** At most `limit` tokens of a wallet older than `before`, newest first. */
  async page(wallet: string, limit: number, before: number | null): Promise<Page<TokenRow>> {
    const part = { wallet, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const rows = await this.#db.read((session) => session.all(PAGE, part));
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { rows: rows.slice(0, limit), next: last?.id ?? null };
  }

  /** A token of this wallet; what belongs to another wallet does not exist. */
  async find(wallet: string, mint: string): Promise<TokenRow | null> {
    const token = await this.findAny(mint);
    return token?.wallet === wallet ? token : null;
  }

  /** A token of any wallet, for facts that are public on chain anyway. */
  findAny(mint: string): Promise<TokenRow | null> {
    return this.#db.read((session) => session.get(FIND, { mint }));
  }

  /** Where the token of a mint comes from; null if this service has not launched it. */
  async origin(mint: string): Promise<TokenOrigin | null> {
    const { signature, poolTerms } = launches;
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({ token: COLUMNS, signature, poolTerms })
        .from(tokens)
        .innerJoin(launches, eq(launches.eventId, tokens.eventId))
        .where(eq(tokens.tokenMint, mint)),
    );
    return row ?? null;
  }

  /** At most `limit` tokens of all wallets with ids above `after`, in order, for exports. */
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

  /** At most `limit` tokens of all wallets and their pools with ids above `after`, in order. */
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

  /** What these tokens cost, of the same rows in the same order. */
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

  /**
   * The metadata of a mint, from the moment that the launch's transaction is signed: indexers ask
   * as soon as they see the mint on chain, which may be before the launch is settled.
   */
  async metadata(mint: string): Promise<TokenMetadataRow | null> {
    const { name, ticker, description, imageUrl, website, twitter, telegram } = launches;
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select({
          ...{ name, ticker, description, imageUrl, website, twitter, telegram },
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
