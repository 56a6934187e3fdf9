import { jwt } from "@elysiajs/jwt";

const ALGORITHM = "HS256";
/** The only header that is signed and accepted: a token with any other is refused unread. */
const HEADER = Buffer.from(`{"alg":"${ALGORITHM}","typ":"JWT"}`).toString("base64url");

/** Claims of a bearer token (RFC 7519, section 4.1). `exp` is in seconds since the Unix epoch. */
export interface TokenClaims {
  readonly sub: string;
  readonly jti: string;
  readonly exp: number;
}

/** What a token is checked against: its issuer, its audience, and the time of the check. */
export interface TokenTerms {
  readonly issuer: string;
  readonly audience: string;
  readonly now: Date;
}

/** Signs and verifies JWTs with one secret by HMAC-SHA-256. */
export class JwtKey {
  readonly #jwt;

  /** @param secret at least 32 bytes */
  constructor(secret: Uint8Array) {
    // Only the plugin's `sign` and `verify`: a service knows no requests, and an app that uses two
    // instances under one name, as rotation needs, keeps only the first (measured with Elysia 1.4.30).
    this.#jwt = jwt({ secret, alg: ALGORITHM }).decorator.jwt;
  }

  /** @returns the token; the plugin adds `iat` from the machine's clock */
  sign(claims: TokenClaims & { readonly iss: string; readonly aud: string }): Promise<string> {
    return this.#jwt.sign({ ...claims });
  }

  /**
   * Verifies a token of {@link sign}.
   *
   * @returns its claims; null if another secret signed it, if its issuer or audience is another, or
   * if it has expired
   */
  async open(token: string, { issuer, audience, now }: TokenTerms): Promise<TokenClaims | null> {
    if (!token.startsWith(`${HEADER}.`) || !isCanonical(token)) return null;
    // Without these options the plugin also accepts HS384 and HS512, and tokens that never expire.
    const claims = await this.#jwt.verify(token, {
      algorithms: [ALGORITHM],
      issuer,
      audience,
      currentDate: now,
      requiredClaims: ["sub", "jti", "iat", "exp"],
    });
    if (!claims) return null;
    const { sub, jti, nbf, exp, aud } = claims;
    if (typeof sub !== "string" || typeof jti !== "string" || typeof exp !== "number") return null;
    // Our tokens have no `nbf`, and name one audience and not a list.
    return nbf === undefined && typeof aud === "string" ? { sub, jti, exp } : null;
  }
}

/** Whether the signature is encoded as `sign` does it: jose also accepts padding and spare bits. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}
