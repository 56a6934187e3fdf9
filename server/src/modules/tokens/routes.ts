import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import type { Token, TokenList } from "@tokenctl/shared/types";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { operation } from "../../http/openapi.ts";
import { encodeCursor, parsePage } from "../../http/paging.ts";
import type { Store } from "../../store/store.ts";
import type { ListedToken } from "../../store/token-store.ts";

/** Lists and reads an agent's tokens. */
export function tokenRoutes(
  { tokens }: Pick<Store, "tokens">,
  bearer: ReturnType<typeof bearerPlugin>,
) {
  return new Elysia({ prefix: "/api/v1/tokens" })
    .use(bearer)
    .get(
      "/",
      async ({ wallet, query }): Promise<TokenList> => {
        const { limit, before } = parsePage(query);
        if (limit === null) return { tokens: (await tokens.list(wallet)).map(toToken) };
        const { rows, next } = await tokens.page(wallet, limit, before);
        return {
          tokens: rows.map(toToken),
          ...(next !== null && { nextCursor: encodeCursor(next) }),
        };
      },
      operation({
        id: "listTokens",
        summary: "List the agent's tokens",
        description:
          "Returns the tokens that the agent has launched, newest first: all of them, or pages of `limit`.",
        tag: "Tokens",
        query: ["limit", "cursor"],
        answer: TokenListSchema,
        errors: [],
      }),
    )
    .get(
      "/:mintAddress",
      async ({ wallet, params }) => {
        const row = await tokens.find(wallet, params.mintAddress);
        if (!row) throw new ServiceError("token_not_found");
        return toToken(row);
      },
      operation({
        id: "getToken",
        summary: "Read one token",
        description: "Returns a token that the agent has launched.",
        tag: "Tokens",
        answer: TokenSchema,
        errors: ["token_not_found"],
      }),
    );
}

function toToken(row: ListedToken): Token {
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
