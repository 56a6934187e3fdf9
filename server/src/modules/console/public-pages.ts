import type {
  AgentFacts,
  ShownToken,
  StartFacts,
  TokenFacts,
  TokenPage,
} from "@tokenctl/shared/page-facts";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { BoundedMap, SharedRead } from "../../base/cache.ts";
import { DAY_MS, sleep } from "../../base/clock.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { clientOf, type SharePercents, SharePool, sharesOf } from "../../domain/shares.ts";
import { type PoolTerms, priceInSol } from "../../domain/token.ts";
import { requirePlace } from "../../http/admit.ts";
import type { ListedMarket, ListedPart } from "../../store/markets.ts";
import type { Store } from "../../store/store.ts";
import { metadataDocument } from "../../store/tokens.ts";
import { marketRecord, publicTokenRecord } from "../public.ts";

export const OF_PAGE = 24;
/** The number of an agent's latest tokens that are read for a token's page, itself among them. */
const OTHERS = 7;
const OF_AGENT = 100;
/** How long sums over all tokens, and a page of a list, are reused, in milliseconds. */
const SUMS_FOR_MS = 30_000;
const LIST_FOR_MS = 10_000;
const LISTS_KEPT = 200;
/** The most requests that wait for lists that read all tokens, in all and of one address. */
const MOST_WAITING = 20;
const MOST_OF_ADDRESS = 4;
/** The pause after such a list as a multiple of what it took. */
const REST = 3;

/** Reads the facts of public pages, from the database alone. */
export class PublicPages {
  readonly #totals: SharedRead<StartFacts["totals"]>;
  readonly #lists = new BoundedMap<string, SharedRead<ListedMarket[]>>(LISTS_KEPT);
  readonly #waiting: SharePool;
  /** One at a time: a search reads all tokens, and on SQLite every other call waits for it. */
  readonly #reads = new GroupCommit((parts: readonly ListedPart[]) => this.#readLists(parts), 1);
  #restUntil = 0;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly terms: () => Promise<PoolTerms>;
      /** Whether the list of all agents' tokens is hidden. */
      readonly isPrivate: boolean;
      readonly shares: SharePercents;
    },
  ) {
    this.#waiting = new SharePool(sharesOf(MOST_WAITING, MOST_OF_ADDRESS, deps.shares));
    this.#totals = new SharedRead(() => this.#readTotals(), SUMS_FOR_MS, deps.store.clock);
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
      this.list({}, null),
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

  /** @throws {ServiceError} 429 if too many wait for lists that read all tokens */
  async list(of: Omit<ListedPart, "limit" | "wallet">, address: string | null): Promise<TokenPage> {
    const { order = "new", search = "", offset = 0 } = of;
    const { isPrivate, store } = this.deps;
    if (isPrivate) return { tokens: [], hasMore: false, totals: null };
    const part = { order, search, limit: OF_PAGE + 1, offset };
    const isOfAll = order !== "new" || search !== "";
    const taken = isOfAll ? this.#waiting.take(clientOf(undefined, address)) : null;
    using _place = taken && requirePlace(taken, LIST_FOR_MS / 1_000);
    const read = () => (isOfAll ? this.#reads.add(part) : store.markets.list(part));
    const make = () => new SharedRead(read, LIST_FOR_MS, store.clock);
    const list = this.#lists.getOrMake(JSON.stringify(part), make);
    const [rows, totals] = await Promise.all([list.get(), this.#totals.get()]);
    const hasMore = rows.length > OF_PAGE;
    return { tokens: rows.slice(0, OF_PAGE).map(shownToken), hasMore, totals };
  }

  async mints(most: number): Promise<readonly string[]> {
    if (this.deps.isPrivate) return [];
    return (await this.deps.store.tokens.latest(most)).map(({ tokenMint }) => tokenMint);
  }

  async #readLists(parts: readonly ListedPart[]): Promise<ListedMarket[][]> {
    const { markets, clock } = this.deps.store;
    const restMs = this.#restUntil - clock.elapsed();
    if (restMs > 0) await sleep(clock, restMs);
    const began = clock.elapsed();
    const lists = await Promise.all(parts.map((part) => markets.list(part)));
    this.#restUntil = clock.elapsed() + REST * (clock.elapsed() - began);
    return lists;
  }

  async #readTotals(): Promise<StartFacts["totals"]> {
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
