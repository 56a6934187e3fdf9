import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";
import type { AnswerHeaders } from "./headers.ts";
import type { AddressLimit, RateLimit } from "./rate-limit.ts";

/** The `Bearer` scheme of RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;
/** Our tokens have about 350 characters; a longer header is refused unread. */
const MAX_LENGTH = 2048;

/** Knows the bearer tokens that this service has issued. */
export interface BearerTokens {
  /** @returns the wallet of a token that was verified before and is still valid, otherwise undefined */
  recall(token: string): string | undefined;
  /** @returns the wallet of a valid token, otherwise null */
  verify(token: string): Promise<string | null>;
  /** @returns until when a token is valid, in milliseconds since the Unix epoch; null if it is not */
  expiryOf(token: string): Promise<number | null>;
}

/**
 * @param request one that {@link bearerPlugin} has admitted
 * @returns until when its token is valid, in milliseconds since the Unix epoch
 * @throws {ServiceError} 401 if it has expired since
 */
export async function tokenExpiry(tokens: BearerTokens, request: Request): Promise<number> {
  const token = bearerToken(request.headers.get("authorization") ?? "");
  const expiry = token === null ? null : await tokens.expiryOf(token);
  if (expiry === null) throw new ServiceError("invalid_token");
  return expiry;
}

/**
 * Admits only signed-in agents, limits how often each may call, and gives the route their `wallet`.
 *
 * @param limit counts the requests of each agent
 * @param onBadToken called for each invalid token; what it throws is answered instead of 401
 */
export function bearerPlugin(tokens: BearerTokens, limit: RateLimit, onBadToken: AddressLimit) {
  /** @throws {ServiceError} 401 */
  async function verify(header: string, request: Request, headers: AnswerHeaders) {
    const token = bearerToken(header);
    if (token === null) throw new ServiceError("missing_authorization");
    const wallet = await tokens.verify(token);
    if (wallet !== null) return wallet;
    onBadToken(request, headers);
    throw new ServiceError("invalid_token");
  }
  return new Elysia({ name: "bearer" }).resolve({ as: "scoped" }, async ({ request, set }) => {
    const header = request.headers.get("authorization") ?? "";
    // A token that was verified before needs neither the regular expression nor another verification.
    const known = header.startsWith("Bearer ") ? tokens.recall(header.slice(7)) : undefined;
    const wallet = known ?? (await verify(header, request, set.headers));
    limit.spend(wallet, set.headers);
    return { wallet };
  });
}

function bearerToken(header: string): string | null {
  if (header.length > MAX_LENGTH) return null;
  return BEARER.exec(header)?.[1] ?? null;
}
