import { jwt } from "@elysiajs/jwt";
import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { BoundedMap } from "../base/cache.ts";
import type { Clock } from "../base/clock.ts";

const ISSUER = "tokend";
const AUDIENCE = "tokend-api";

const ALGORITHM = "HS256";
/** The only header that is issued and accepted. Any other token is refused without parsing it. */
const HEADER = Buffer.from(`{"alg":"${ALGORITHM}","typ":"JWT"}`).toString("base64url");

export interface Session {
  readonly wallet: string;
  readonly expiresAt: number;
}

/** Issues and verifies JWTs (RFC 7519) that name a wallet and last 15 minutes. */
export class BearerTokens {
  readonly #key: ReturnType<typeof jwtKey>;
  /** By token. Entries stay right: the text determines the claims, each use checks the expiry. */
  readonly #verified = new BoundedMap<string, Session>(10_000);

  constructor(
    private readonly clock: Clock,
    secret: Uint8Array,
  ) {
    this.#key = jwtKey(secret);
  }

  /** Returns a token for a wallet, valid for 15 minutes less the fraction of the current second. */
  async issue(wallet: string): Promise<string> {
    // The plugin adds `iat` from the machine's clock.
    const key = await this.#key;
    return key.sign({
      sub: wallet,
      iss: ISSUER,
      aud: AUDIENCE,
      jti: crypto.randomUUID(),
      exp: Math.floor(this.clock.now() / 1000) + TOKEN_LIFETIME_SECONDS,
    });
  }

  recall(token: string): Session | undefined {
    const known = this.#verified.get(token);
    return known && known.expiresAt > this.clock.now() ? known : undefined;
  }

  async verify(token: string): Promise<Session | null> {
    const recalled = this.recall(token);
    if (recalled !== undefined) return recalled;
    if (!token.startsWith(`${HEADER}.`) || !isCanonical(token)) return null;
    // Without these options the plugin also accepts HS384 and HS512, and tokens that never expire.
    const claims = await (await this.#key).verify(token, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: new Date(this.clock.now()),
      requiredClaims: ["sub", "jti", "iat", "exp"],
    });
    if (!claims) return null;
    const { sub: wallet, jti, nbf, exp, aud } = claims;
    const isTyped = typeof wallet === "string" && typeof jti === "string";
    // Our tokens have no `nbf`, and name a single audience instead of a list.
    if (!isTyped || typeof exp !== "number" || nbf !== undefined || typeof aud !== "string")
      return null;
    const session = { wallet, expiresAt: exp * 1000 };
    this.#verified.set(token, session);
    return session;
  }
}

/** The plugin alone would import a secret of bytes at each use, which takes a third of its time. */
async function jwtKey(secret: Uint8Array) {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", Buffer.from(secret), hmac, false, [
    "sign",
    "verify",
  ]);
  return jwt({ secret: key, alg: ALGORITHM }).decorator.jwt;
}

/** Returns whether the encoding is that of `sign`: jose also accepts padding and spare bits. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}
