import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { operation } from "../../http/openapi.ts";
import { parsePage } from "../../http/paging.ts";
import type { TokenService } from "./service.ts";

export function tokenRoutes(tokens: TokenService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1/tokens" })
    .use(bearer)
    .get(
      "/",
      ({ wallet, query }) => tokens.list(wallet, parsePage(query)),
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
      ({ wallet, params }) => tokens.get(wallet, params.mintAddress),
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
