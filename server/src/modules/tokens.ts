import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import type { Token } from "@tokenctl/shared/types";
import { ServiceError } from "../base/service-error.ts";
import { endpoint } from "../http/endpoint.ts";
import { encodeCursor } from "../http/paging.ts";
import { PAGE } from "../http/parameters.ts";
import type { Store } from "../store/store.ts";
import type { ListedToken } from "../store/tokens.ts";

export function tokenEndpoints({ tokens }: Pick<Store, "tokens">) {
  return [
    endpoint({
      route: "GET /api/v1/tokens/",
      id: "listTokens",
      summary: "List the agent's tokens",
      description:
        "Returns the tokens that the agent has launched, newest first: all of them, or pages of `limit`.",
      tag: "Tokens",
      query: PAGE,
      answer: TokenListSchema,
      errors: [],
      async handle({ wallet, query: { limit, before } }) {
        if (limit === null) return { tokens: (await tokens.list(wallet)).map(tokenRecord) };
        const { rows, next } = await tokens.page(wallet, limit, before);
        return {
          tokens: rows.map(tokenRecord),
          ...(next !== null && { nextCursor: encodeCursor(next) }),
        };
      },
    }),
    endpoint({
      route: "GET /api/v1/tokens/:mintAddress",
      id: "getToken",
      summary: "Read one token",
      description: "Returns a token that the agent has launched.",
      tag: "Tokens",
      answer: TokenSchema,
      errors: ["token_not_found"],
      async handle({ wallet, params }) {
        const row = await tokens.find(wallet, params.mintAddress);
        if (!row) throw new ServiceError("token_not_found");
        return tokenRecord(row);
      },
    }),
  ];
}

function tokenRecord(row: ListedToken): Token {
  return {
    poolAddress: row.poolAddress,
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    tokenName: row.name,
    isClaimed: row.claimedAt !== null,
    claimedAt: row.claimedAt === null ? null : new Date(row.claimedAt).toISOString(),
    claimedToAddress: row.claimedTo,
    deployedAt: new Date(row.deployedAt).toISOString(),
    ...(row.imageUrl !== null && { imageUrl: row.imageUrl }),
  };
}
