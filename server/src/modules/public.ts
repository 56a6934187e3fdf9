import { PublicTokenSchema } from "@tokenctl/shared/contract/token";
import { ServiceError } from "../base/service-error.ts";
import type { AddressLimit } from "../http/admit.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Store } from "../store/store.ts";

/** The answer never changes; a day is enough for caches, and allows for new fields. */
const CACHE_CONTROL = "public, max-age=86400";

/**
 * What anyone may read about a token: all of it is on chain too.
 *
 * @param spend counts a request of a client that has not signed in
 */
export function publicEndpoints({ tokens }: Pick<Store, "tokens">, spend: AddressLimit) {
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
      limit(request, headers) {
        // Explorers read it from their own web pages.
        headers["access-control-allow-origin"] = "*";
        spend(request, headers);
      },
      async handle({ params, set }) {
        const token = await tokens.withLaunch(params.mintAddress);
        if (!token) throw new ServiceError("token_not_found");
        set.headers["cache-control"] = CACHE_CONTROL;
        return {
          tokenMint: token.tokenMint,
          poolAddress: token.poolAddress,
          ticker: token.ticker,
          tokenName: token.name,
          creator: token.wallet,
          config: token.poolTerms?.config ?? null,
          fees: token.poolTerms?.fees ?? null,
          launchTransaction: token.signature,
          deployedAt: new Date(token.deployedAt).toISOString(),
        };
      },
    }),
  ];
}
