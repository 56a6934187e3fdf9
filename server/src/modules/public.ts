import { MarketHistorySchema, MarketListSchema } from "@tokenctl/shared/contract/market";
import { CheckedProofSchema } from "@tokenctl/shared/contract/proof";
import { MetadataDocumentSchema, PublicTokenSchema } from "@tokenctl/shared/contract/token";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { CheckedProof, Market, PublicToken } from "@tokenctl/shared/types";
import { ServiceError } from "../base/service-error.ts";
import { likenessWarnings } from "../domain/likeness.ts";
import { priceInSol } from "../domain/token.ts";
import type { AddressLimit } from "../http/admit.ts";
import { endpoint } from "../http/endpoint.ts";
import type { AnswerHeaders } from "../http/headers.ts";
import { MINTS, PERIOD } from "../http/parameters.ts";
import type { TokenMarket } from "../store/markets.ts";
import type { Store } from "../store/store.ts";
import { metadataDocument, type TokenWithLaunch } from "../store/tokens.ts";

/** Prices and fee holders are read at most every five seconds, and every minute on a cluster. */
const CACHE_CONTROL = "public, max-age=10";
const PROOF_CACHE_CONTROL = "public, max-age=60";

/** All of these facts are on chain too. @param proofs null on the sandbox */
export function publicEndpoints(
  { tokens, markets, clock }: Store,
  proofs: { read(mint: string, address: string | null): Promise<CheckedProof> } | null,
  spendPublic: AddressLimit,
) {
  const limit = (request: Request, headers: AnswerHeaders) => {
    // Explorers read it from their own web pages.
    headers["access-control-allow-origin"] = "*";
    spendPublic(request);
  };
  return [
    endpoint({
      route: "GET /public/tokens/:mintAddress",
      auth: "none",
      id: "getPublicToken",
      summary: "Read where a token comes from",
      description:
        "Returns the agent, the pool, the config, the fees and the launch transaction of any token of this service.",
      tag: "Public",
      answer: PublicTokenSchema,
      errors: ["token_not_found", "too_many_requests", "database_unavailable"],
      limit,
      async handle({ params, set }) {
        const token = await tokens.withLaunch(params.mintAddress);
        if (!token) throw new ServiceError("token_not_found");
        set.headers["cache-control"] = CACHE_CONTROL;
        const first = await tokens.firstLike(token.name);
        return publicTokenRecord(token, first);
      },
    }),
    endpoint({
      route: "GET /public/tokens/:mintAddress/market",
      auth: "none",
      id: "getMarket",
      summary: "Read a token's price, curve and price history",
      description:
        "Returns what the service last read of the pool of any of its tokens: price, market cap, how far the bonding curve is from graduation, and the prices before. It reads all pools in turn, so a trade shows after `POOL_WATCH_SECONDS`.",
      tag: "Public",
      query: { period: PERIOD },
      answer: MarketHistorySchema,
      errors: ["token_not_found", "too_many_requests", "database_unavailable"],
      limit,
      async handle({ params, query, set }) {
        const token = await tokens.withLaunch(params.mintAddress);
        if (!token) throw new ServiceError("token_not_found");
        const [market] = await markets.of([token.tokenMint]);
        const points = market ? await markets.history(token.id, query.period, clock.now()) : [];
        set.headers["cache-control"] = CACHE_CONTROL;
        return {
          market: market ? marketRecord(market) : null,
          curve: [...(token.poolTerms?.curve ?? [])],
          prices: points.map(({ at, price }) => ({
            at: new Date(at).toISOString(),
            priceSOL: priceInSol(price),
          })),
        };
      },
    }),
    endpoint({
      route: "GET /public/tokens/:mintAddress/proof",
      auth: "none",
      id: "getTokenProof",
      summary: "Read what the chain shows of a token",
      description:
        "Returns what `tokenctl verify` shows, as the service has read it from its own RPC in the last minutes: who may mint, freeze and change the token, who earns what, how much liquidity is locked permanently and for whom. A metadata document that another server has is not read. A sandbox answers `not_found`: it has no programs to check.",
      tag: "Public",
      answer: CheckedProofSchema,
      errors: [
        "not_found",
        "token_not_found",
        "too_many_requests",
        "share_used",
        "chain_unavailable",
        "database_unavailable",
      ],
      limit,
      takesAddress: true,
      isLong: () => true,
      async handle({ params, address, set }) {
        if (!proofs) throw new ServiceError("not_found");
        const checked = await proofs.read(params.mintAddress, address);
        set.headers["cache-control"] = PROOF_CACHE_CONTROL;
        return checked;
      },
    }),
    endpoint({
      route: "GET /public/markets",
      auth: "none",
      id: "getMarkets",
      summary: "Read the prices of several tokens",
      description: "Returns what the service last read from the pools of these of its tokens.",
      tag: "Public",
      query: { mints: MINTS },
      answer: MarketListSchema,
      errors: ["too_many_requests", "database_unavailable"],
      limit,
      async handle({ query, set }) {
        const read = query.mints.length === 0 ? [] : await markets.of(query.mints);
        set.headers["cache-control"] = CACHE_CONTROL;
        return { markets: read.map(marketRecord) };
      },
    }),
  ];
}

export function publicTokenRecord(token: TokenWithLaunch, first: string | null): PublicToken {
  const warnings = likenessWarnings(token, first === token.tokenMint ? null : first);
  return {
    tokenMint: token.tokenMint,
    poolAddress: token.poolAddress,
    ticker: token.ticker,
    tokenName: token.name,
    creator: token.wallet,
    ...(token.holder !== null && { holder: token.holder }),
    config: token.poolTerms?.config ?? null,
    fees: token.poolTerms?.fees ?? null,
    launchTransaction: token.signature,
    deployedAt: new Date(token.deployedAt).toISOString(),
    ...(warnings.length > 0 && { warnings }),
  };
}

export function marketRecord(market: TokenMarket): Market {
  const { raised, goal } = market;
  const missing = raised === null || raised > goal ? 0n : goal - raised;
  return {
    tokenMint: market.tokenMint,
    priceSOL: priceInSol(market.price),
    marketCapSOL: lamportsToSol(market.marketCap),
    isMigrated: raised === null,
    raisedSOL: lamportsToSol(raised ?? goal),
    graduationSOL: lamportsToSol(goal),
    missingSOL: lamportsToSol(missing),
    creatorFeesSOL: lamportsToSol(market.earned),
    tradedSOL: lamportsToSol(market.traded),
    changedAt: new Date(market.changedAt).toISOString(),
  };
}

/** A document never changes once its token is on chain. */
const FINAL = "public, max-age=31536000, immutable";
/** Until then its fees may change. */
const NOT_FINAL = "public, max-age=30";

export function metadataEndpoints({ tokens }: Store) {
  return [
    endpoint({
      route: "GET /metadata/:file",
      auth: "none",
      id: "getMetadata",
      summary: "Read a token's metadata document",
      description:
        "Returns the document that the token's on-chain address leads to, with the fields of Metaplex's token standard.",
      params: {
        file: {
          description: "The token's mint address and `.json`",
          schema: { type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}\\.json$" },
        },
      },
      tag: "Metadata",
      answer: MetadataDocumentSchema,
      errors: ["token_not_found", "database_unavailable"],
      async handle({ params, set }) {
        // Wallets and explorers read it from their own web pages.
        set.headers["access-control-allow-origin"] = "*";
        const mint = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.json$/.exec(params.file)?.[1];
        const row = mint === undefined ? null : await tokens.metadata(mint);
        if (!row) throw new ServiceError("token_not_found");
        set.headers["cache-control"] =
          row.status === "success" && !row.isHidden ? FINAL : NOT_FINAL;
        return metadataDocument(row);
      },
    }),
  ];
}
