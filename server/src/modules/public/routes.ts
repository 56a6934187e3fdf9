import { PublicTokenSchema } from "@tokenctl/shared/contract/token";
import type { PublicToken } from "@tokenctl/shared/types";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { operation } from "../../http/openapi.ts";
import type { PublicLimit } from "../../http/public-limit.ts";
import type { Store } from "../../store/store.ts";

/** Nothing of it changes; a day is enough for caches, and allows for new fields. */
const CACHE_CONTROL = "public, max-age=86400";

/** What anyone may read about a token: all of it is on chain too. */
export function publicRoutes(
  { tokens }: Pick<Store, "tokens">,
  limit: PublicLimit,
  server: CurrentServer,
) {
  return new Elysia({ prefix: "/public/tokens" }).get(
    "/:mintAddress",
    async ({ request, params, set }) => {
      // Explorers read it from their own web pages.
      set.headers["access-control-allow-origin"] = "*";
      limit.spend(request, server(), set.headers);
      const origin = await tokens.origin(params.mintAddress);
      if (!origin) throw new ServiceError("token_not_found");
      set.headers["cache-control"] = CACHE_CONTROL;
      const { token, poolTerms, signature } = origin;
      return {
        tokenMint: token.tokenMint,
        poolAddress: token.poolAddress,
        ticker: token.ticker,
        tokenName: token.name,
        creator: token.wallet,
        config: poolTerms?.config ?? null,
        fees: poolTerms?.fees ?? null,
        launchTransaction: signature,
        deployedAt: new Date(token.deployedAt).toISOString(),
      } satisfies PublicToken;
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
