import type {
  AgentFacts,
  ShownToken,
  StartFacts,
  TokenFacts,
  TokenOrder,
  TokenPage,
} from "@tokenctl/shared/page-facts";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { BoundedMap, SharedRead } from "../../base/cache.ts";
import { DAY_MS } from "../../base/clock.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { type PoolTerms, priceInSol } from "../../domain/token.ts";
import type { ListedMarket, ListedPart } from "../../store/markets.ts";
import type { Store } from "../../store/store.ts";
import { metadataDocument } from "../../store/tokens.ts";
import { marketRecord, publicTokenRecord } from "../public.ts";

const OF_PAGE = 24;
/** The number of an agent's latest tokens that are read for a token's page, itself among them. */
const OTHERS = 7;
const OF_AGENT = 100;
/** How long sums over all tokens, and a page of a list, are reused, in milliseconds. */
const SUMS_FOR_MS = 30_000;
const LIST_FOR_MS = 10_000;
const LISTS_KEPT = 200;

/** Reads the facts of public pages, from the database alone. */
export class PublicPages {
  readonly #totals: SharedRead<StartFacts["totals"]>;
  readonly #lists = new BoundedMap<string, SharedRead<ListedMarket[]>>(LISTS_KEPT);
  /** One at a time: a search reads all tokens, and on SQLite every other call waits for it. */
  readonly #reads = new GroupCommit(
    (parts: readonly ListedPart[]) =>
      Promise.all(parts.map((part) => this.deps.store.markets.list(part))),
    1,
  );

  constructor(
    private readonly deps: {
      readonly store: Pick<Store, "tokens" | "markets" | "prepared" | "clock">;
      readonly terms: () => Promise<PoolTerms>;
      /** Whether the list of all agents' tokens is hidden. */
      readonly isPrivate: boolean;
    },
  ) {
    this.#totals = new SharedRead<StartFacts["totals"]>(
      () => this.#readTotals(),
      SUMS_FOR_MS,
      deps.store.clock,
    );
  }

  async token(mint: string): Promise<TokenFacts | null> {
    const { tokens, markets, clock } = this.deps.store;
    const [row, about] = await Promise.all([tokens.withLaunch(mint), tokens.metadata(mint)]);
    if (row === null || about === null) return null;
    const [[market], before, others, first] = await Promise.all([
      markets.of([mint]),
      markets.priceAt(row.id, clock.now() - DAY_MS),
      markets.list({ wallet: row.wallet, limit: OTHERS }),
      tokens.firstLike(row.name),
    ]);
    const record = market ? marketRecord(market) : null;
    // The first price that was read may already include the first trades.
    const isNew = row.deployedAt > clock.now() - DAY_MS;
    const start = isNew ? row.poolTerms?.curve[0]?.priceSOL : undefined;
    const then = start ?? (before === null ? undefined : priceInSol(before));
    const change = market && then ? priceInSol(market.price) / then - 1 : null;
    return {
      token: publicTokenRecord(row, first),
      about: metadataDocument(about),
      market: record,
      change,
      migratedAt: row.migratedAt === null ? null : new Date(row.migratedAt).toISOString(),
      others: others.map(shownToken).filter(({ tokenMint }) => tokenMint !== mint),
    };
  }

  async start(): Promise<StartFacts> {
    const [page, fees] = await Promise.all([
      this.list("new", "", 0),
      this.deps.terms().then(
        (known) => known.fees,
        () => null,
      ),
    ]);
    return { ...page, fees };
  }

  async agent(wallet: string): Promise<AgentFacts | null> {
    const { markets } = this.deps.store;
    const rows = await markets.list({ wallet, limit: OF_AGENT });
    const oldest = rows.at(-1);
    if (!oldest) return null;
    const earned = rows.reduce((sum, { market }) => sum + (market?.earned ?? 0n), 0n);
    return {
      wallet,
      since: new Date(oldest.deployedAt).toISOString(),
      earnedSOL: lamportsToSol(earned),
      tokens: rows.map(shownToken),
    };
  }

  async list(order: TokenOrder, search: string, page: number): Promise<TokenPage> {
    const { isPrivate, store } = this.deps;
    if (isPrivate) return { tokens: [], hasMore: false, totals: null };
    const part = { order, search, limit: OF_PAGE + 1, offset: page * OF_PAGE };
    const make = () => new SharedRead(() => this.#reads.add(part), LIST_FOR_MS, store.clock);
    const list = this.#lists.getOrMake(JSON.stringify(part), make);
    const [rows, totals] = await Promise.all([list.get(), this.#totals.get()]);
    const hasMore = rows.length > OF_PAGE;
    return { tokens: rows.slice(0, OF_PAGE).map(shownToken), hasMore, totals };
  }

  async mints(most: number): Promise<readonly string[]> {
    if (this.deps.isPrivate) return [];
    return (await this.deps.store.tokens.latest(most)).map(({ tokenMint }) => tokenMint);
  }

  async #readTotals() {
    const { markets, prepared } = this.deps.store;
    const [{ tokens, earned, traded }, paid] = await Promise.all([
      markets.totals(),
      prepared.paidInAll(),
    ]);
    return {
      tokens,
      tradedSOL: lamportsToSol(traded),
      earnedSOL: lamportsToSol(earned),
      paidSOL: lamportsToSol(paid),
    };
  }
}

const shownToken = (row: ListedMarket): ShownToken => ({
  tokenMint: row.tokenMint,
  ticker: row.ticker,
  tokenName: row.name,
  imageUrl: row.imageUrl,
  deployedAt: new Date(row.deployedAt).toISOString(),
  market: row.market && marketRecord({ ...row.market, tokenMint: row.tokenMint }),
});
