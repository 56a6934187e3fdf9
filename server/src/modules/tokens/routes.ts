import { TokenListSchema, TokenSchema } from "@tokenctl/shared/response-schemas";
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
        summary: "List the agent's tokens, newest first",
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
        summary: "Read one token",
        tag: "Tokens",
        answer: TokenSchema,
        errors: ["token_not_found"],
      }),
    );
}
