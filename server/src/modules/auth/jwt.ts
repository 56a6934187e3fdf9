import { jwt } from "@elysiajs/jwt";

const ALGORITHM = "HS256";
/** The one header that is written and accepted: what else a JWT's header can ask for is refused. */
const HEADER = Buffer.from(`{"alg":"${ALGORITHM}","typ":"JWT"}`).toString("base64url");

/** What a bearer token says (RFC 7519, section 4.1). Times are seconds since the Unix epoch. */
export interface TokenClaims {
  readonly sub: string;
  readonly jti: string;
  readonly exp: number;
}

/** Whose tokens are good, and when that is asked. */
export interface TokenTerms {
  readonly issuer: string;
  readonly audience: string;
  readonly now: Date;
}

/** Signs and opens JWTs with one secret by HMAC-SHA-256. */
export class JwtKey {
  readonly #jwt;

  /** @param secret at least 32 bytes */
  constructor(secret: Uint8Array) {
    // The plugin's two functions without its place in a request: the service knows no requests, and
    // Elysia takes a second instance beside the first for the same plugin.
    this.#jwt = jwt({ secret, alg: ALGORITHM }).decorator.jwt;
  }

  /** @returns the token; the plugin adds `iat` by the machine's own clock */
  sign(claims: TokenClaims & { readonly iss: string; readonly aud: string }): Promise<string> {
    return this.#jwt.sign({ ...claims });
  }

  /**
   * Opens a token of {@link sign}.
   *
   * @returns its claims; null if another secret signed it, if it is not of these terms, or if it
   * has expired
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
    // Tokens of ours are good at once and for one audience.
    return nbf === undefined && typeof aud === "string" ? { sub, jti, exp } : null;
  }
}

/** Whether the signature is spelled as it is written here: jose reads padding and spare bits too. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}
