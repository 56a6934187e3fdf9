import { PublicTokenSchema } from "@tokenctl/shared/contract/token";
import { Elysia } from "elysia";
import type { CurrentServer } from "../../http/listen.ts";
import { operation } from "../../http/openapi.ts";
import type { PublicLimit } from "../../http/public-limit.ts";
import type { PublicTokenService } from "./service.ts";

/** Nothing of it changes; a day is enough for caches, and allows for new fields. */
const CACHE_CONTROL = "public, max-age=86400";

export function publicRoutes(
  tokens: PublicTokenService,
  limit: PublicLimit,
  server: CurrentServer,
) {
  return new Elysia({ prefix: "/public/tokens" }).get(
    "/:mintAddress",
    async ({ request, params, set }) => {
      // Explorers read it from their own web pages.
      set.headers["access-control-allow-origin"] = "*";
      limit.spend(request, server(), set.headers);
      const token = await tokens.get(params.mintAddress);
      set.headers["cache-control"] = CACHE_CONTROL;
      return token;
    },
    operation({
      id: "getPublicToken",
      summary: "Read where a token comes from",
      description:
        "Returns the agent, the pool, the config, the fees and the launch transaction of any token of this service.",
      tag: "Public",
      isPublic: true,
      answer: PublicTokenSchema,
      errors: ["token_not_found", "too_many_requests", "database_unavailable"],
    }),
  );
}
