import type { MetadataDocument, MetadataFile } from "@tokenctl/shared/types";
import { and, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import { portions } from "../base/portions.ts";
import type { TokenLinks } from "../domain/launch.ts";
import { likenessOf } from "../domain/likeness.ts";
import type { PoolTerms } from "../domain/token.ts";
import type { Database, Statement } from "./database.ts";
import type { LaunchRow } from "./launch-row.ts";
import { launches, poolMigrations, poolTerms, tokens } from "./schema.ts";

export type TokenRow = Readonly<
  Omit<
    typeof tokens.$inferSelect,
    "launchSeq" | "imageUrl" | "migratedAt" | "feesToldAt" | "hiddenAt" | "likeness"
  > & { readonly eventId: string }
>;

export interface ListedToken
  extends Omit<TokenRow, "eventId" | "wallet" | "holder" | "heldSince" | "acceptedAt"> {
  readonly imageUrl: string | null;
  /** The wallet that has its fees now, if they ever changed hands; otherwise null. */
  readonly heldBy: string | null;
  /** The wallet that launched it; absent in the list of what a wallet has launched. */
  readonly wallet?: string;
}

/** A restored backup may lack `signature` and `poolTerms`. Unknown `launchLamports` are null. */
export type TokenWithLaunch = Awaited<ReturnType<Tokens["after"]>>[number];

export interface TokenMetadata
  extends TokenLinks,
    Pick<LaunchRow, "wallet" | "name" | "ticker" | "description" | "imageUrl" | "status"> {
  /** Null if it is not known what was signed: a restored backup may lack it. */
  readonly poolTerms: PoolTerms | null;
  /** Whether it shows only what is on chain anyway. */
  readonly isHidden: boolean;
}

/** `launched` by a wallet, `all` with those that it has accepted, or `waiting` to be accepted. */
export type WhichTokens = keyof typeof PAGES;

/** `next` is the id or number after which the next page starts. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next: number | null;
}

/** At most `limit` rows whose id or number is below `before`; null is no bound. */
export type PagePart = Readonly<Record<"limit" | "before", number | null>>;

/** @param read reads rows, newest first: one more than the page has if others follow */
export async function readPage<Row extends { readonly id: number } | { readonly number: number }>(
  { limit, before }: PagePart,
  read: (bounds: Readonly<Record<"limit" | "before", number>>) => Promise<Row[]>,
): Promise<Page<Row>> {
  const most = limit ?? Number.MAX_SAFE_INTEGER - 1;
  const rows = await read({ limit: most + 1, before: before ?? Number.MAX_SAFE_INTEGER });
  const last = rows.length > most ? rows[most - 1] : undefined;
  return { rows: rows.slice(0, most), next: last ? ("id" in last ? last.id : last.number) : null };
}

// Each column matters: one more text in 100 rows adds 5 % to the time of the whole request.
const LISTED = sql`id, token_mint as "tokenMint", pool_address as "poolAddress", ticker, name,
  deployed_at as "deployedAt", claimed_at as "claimedAt",
  case when claimed_at is not null then coalesce(claimed_to, wallet) end as "claimedTo",
  image_url as "imageUrl", case when held_since is not null then coalesce(holder, wallet) end as "heldBy"`;
const WHOLE = sql`${LISTED}, wallet, holder, held_since as "heldSince", accepted_at as "acceptedAt",
  (select event_id from launches where seq = launch_seq) as "eventId"`;
const wallet = sql.placeholder("wallet");
const mint = sql.placeholder("mint");

const RECEIVED = sql`holder = ${wallet} and accepted_at is not null`;

/** The wallet that has a token's fees. */
export const HOLDER = sql<string>`coalesce(tokens.holder, tokens.wallet)`;

export const idOf = (tokenMint: string) =>
  sql<number>`(select id from tokens where token_mint = ${tokenMint})`;

/** The wallet that gets a token's events: its launcher, or its holder if that accepted, or null. */
export const OWNER = sql<string | null>`case when holder is null then tokens.wallet
  when accepted_at is not null then holder end`;

const page = (which: SQL, columns = sql`${LISTED}, wallet`): Statement<ListedToken> => {
  return () => sql`select ${columns} from tokens where (${which}) and id < ${sql.placeholder("before")}
    order by id desc limit ${sql.placeholder("limit")}`;
};
const LAUNCHED = sql`wallet = ${wallet}`;
const ALL = sql`${LAUNCHED} or ${RECEIVED}`;
const PAGES = {
  launched: page(LAUNCHED, LISTED),
  all: page(ALL),
  waiting: page(sql`holder = ${wallet} and accepted_at is null`),
};

const LATEST: Statement<TokenRow & ListedToken> = () =>
  sql`select ${WHOLE} from tokens where hidden_at is null or ${sql.placeholder("all")} = 1
    order by id desc limit ${sql.placeholder("limit")}`;

const FIND: Statement<TokenRow & ListedToken> = () =>
  sql`select ${WHOLE} from tokens where token_mint = ${mint}`;

const METADATA: Statement<
  TokenMetadata & { readonly poolTerms: string | null; readonly hiddenAt: number | null }
> = () =>
  sql`select (select hidden_at from tokens where token_mint = ${mint}) as "hiddenAt", wallet, name, ticker, description, image_url as "imageUrl", status, website, twitter,
    telegram, terms as "poolTerms" from launches left join pool_terms on pool_terms.id = terms_id
    where seq = (select launch_seq from tokens where token_mint = ${mint} union all
      select seq from launches where token_mint = ${mint} and status <> 'success' limit 1)`;

const NOTHING_OF_THE_AGENT = {
  description: null,
  imageUrl: null,
  website: null,
  twitter: null,
  telegram: null,
} as const;

/** A wallet's launches take turns, so its tokens commit in id order and a cursor skips none. */
export class Tokens {
  constructor(private readonly db: Database) {}

  page(wallet: string, part: PagePart, which: WhichTokens = "launched") {
    return readPage(part, (bounds) =>
      this.db.read((session) => session.all(PAGES[which], { wallet, ...bounds })),
    );
  }

  latest(limit: number, { withHidden = false } = {}): Promise<ListedToken[]> {
    return this.db.read((session) => session.all(LATEST, { limit, all: Number(withHidden) }));
  }

  async find(wallet: string, mint: string): Promise<(TokenRow & ListedToken) | null> {
    const token = await this.findAny(mint);
    return token?.wallet === wallet || token?.holder === wallet ? token : null;
  }

  /** Finds a token of any wallet: its facts are public on chain anyway. */
  findAny(mint: string): Promise<(TokenRow & ListedToken) | null> {
    return this.db.read((session) => session.get(FIND, { mint }));
  }

  async withLaunch(mint: string) {
    const isShown = and(eq(tokens.tokenMint, mint), isNull(tokens.hiddenAt));
    return (await this.#withLaunch(isShown, 1))[0] ?? null;
  }

  async firstLike(name: string): Promise<string | null> {
    const oldest = sql`likeness = ${likenessOf(name)} and hidden_at is null order by id limit 1`;
    const found = await this.db.read((session) =>
      session.get<{ mint: string }>(sql`select token_mint as mint from tokens where ${oldest}`),
    );
    return found?.mint ?? null;
  }

  after(after: number, limit: number) {
    return this.#withLaunch(gt(tokens.id, after), limit);
  }

  all(atOnce: number) {
    return portions<TokenWithLaunch>((last) => this.after(last?.id ?? 0, atOnce));
  }

  #withLaunch(which: SQL | undefined, limit: number) {
    const { eventId, signature, imageHash, reservedLamports: launchLamports } = launches;
    const { reservedLamports: migrationLamports, tipLamports: migrationTip } = poolMigrations;
    const ofLaunch = {
      eventId,
      signature,
      poolTerms: poolTerms.terms,
      imageHash,
      launchLamports,
      launchTip: launches.tipLamports,
    };
    return this.db.read(({ orm }) =>
      orm
        .select({ ...getTableColumns(tokens), ...ofLaunch, migrationLamports, migrationTip })
        .from(tokens)
        .innerJoin(launches, eq(launches.seq, tokens.launchSeq))
        .leftJoin(poolTerms, eq(poolTerms.id, launches.termsId))
        .leftJoin(
          poolMigrations,
          and(eq(poolMigrations.tokenMint, tokens.tokenMint), eq(poolMigrations.status, "done")),
        )
        .where(which)
        .orderBy(tokens.id)
        .limit(limit),
    );
  }

  /**
   * Returns a token's metadata once its launch is signed: indexers ask when the mint is on chain,
   * perhaps before it is settled. A hidden token keeps its name and ticker, which are on chain.
   */
  async metadata(mint: string): Promise<TokenMetadata | null> {
    const row = await this.db.read((session) => session.get(METADATA, { mint }));
    if (row === null) return null;
    const { hiddenAt, ...metadata } = row;
    const poolTerms = row.poolTerms && JSON.parse(row.poolTerms);
    const isHidden = hiddenAt !== null;
    return { ...metadata, ...(isHidden && NOTHING_OF_THE_AGENT), poolTerms, isHidden };
  }
}

export function metadataDocument(row: TokenMetadata): MetadataDocument {
  const links = {
    ...(row.website !== null && { website: row.website }),
    ...(row.twitter !== null && { twitter: row.twitter }),
    ...(row.telegram !== null && { telegram: row.telegram }),
  };
  return {
    name: row.name,
    symbol: row.ticker,
    description: row.description ?? "",
    image: row.imageUrl ?? "",
    ...(row.website !== null && { external_url: row.website }),
    ...links,
    ...(Object.keys(links).length > 0 && { extensions: links }),
    properties: {
      category: "image",
      files: row.imageUrl === null ? [] : [fileOf(row.imageUrl)],
      creators: [{ address: row.wallet, share: 100 }],
    },
    creator: row.wallet,
    ...(row.poolTerms && { fees: row.poolTerms.fees }),
  };
}

function fileOf(uri: string): MetadataFile {
  const [, ending] = /\.(png|jpe?g|webp|gif|svg)(?:[?#].*)?$/i.exec(uri) ?? [];
  if (ending === undefined) return { uri };
  const type = ending.toLowerCase().replace("jpg", "jpeg").replace("svg", "svg+xml");
  return { uri, type: `image/${type}` };
}
