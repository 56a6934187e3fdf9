import { errorTexts } from "@tokenctl/shared/errors";
import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";
import type { AnswerHeaders, RateLimit } from "./rate-limit.ts";

/** The `Bearer` scheme of RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;
/** A token of ours has about 350 characters; longer ones are refused unread. */
const MAX_LENGTH = 2048;

/** Knows whose a bearer token is. */
export interface BearerTokens {
  /** @returns the token's wallet if it is known without any cryptography, otherwise undefined */
  recall(token: string): string | undefined;
  /** @returns the wallet that the token names, or null if it is not good (any more) */
  verify(token: string): Promise<string | null>;
}

/**
 * Admits signed-in agents only, each so often, and tells the route which wallet it is.
 *
 * @param limit counts the requests of each agent
 * @param onBadToken is called for each token that is not good; may throw what to answer instead of 401
 */
export function bearerPlugin(
  tokens: BearerTokens,
  limit: RateLimit,
  onBadToken: (request: Request, headers: AnswerHeaders) => void,
) {
  /** @throws {ServiceError} 401 */
  const verify = async (
    header: string,
    request: Request,
    headers: AnswerHeaders,
  ): Promise<string> => {
    const token = bearerToken(header);
    if (token === null) throw new ServiceError("unauthorized", errorTexts.missingAuthorization);
    const wallet = await tokens.verify(token);
    if (wallet !== null) return wallet;
    onBadToken(request, headers);
    throw new ServiceError("unauthorized", errorTexts.invalidToken);
  };
  return new Elysia({ name: "bearer" }).resolve({ as: "scoped" }, async ({ request, set }) => {
    const header = request.headers.get("authorization") ?? "";
    const wallet = recall(tokens, header) ?? (await verify(header, request, set.headers));
    limit.spend(wallet, set.headers);
    return { wallet };
  });
}

/** The wallet of a header as clients write it, if its token is remembered: no token is verified twice. */
function recall(tokens: BearerTokens, header: string): string | undefined {
  return header.startsWith("Bearer ") ? tokens.recall(header.slice(7)) : undefined;
}

function bearerToken(header: string): string | null {
  if (header.length > MAX_LENGTH) return null;
  return BEARER.exec(header)?.[1] ?? null;
}
